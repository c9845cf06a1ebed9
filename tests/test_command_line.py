"""The command line: what is written where, exit status, refusals in words and in JSON, and that a model's
file scores like the model."""

import json
import re

import pytest

import scoring
from tests.inference import builders
from tests.support.command_line import ROOT, run, run_fresh
from tests.support.lesion_tables import (
    CLASSES,
    LABELS,
    TRUTH_HEADER,
    prediction_rows,
    predictions,
    table,
    truth,
    truth_rows,
)

MODEL = ROOT / "tests" / "golden" / "tricorder3" / "10-onnx-160"
KEYS = {"level", "code", "where", "message"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_bytes(truth())
    (tmp_path / "p.csv").write_bytes(predictions())
    return tmp_path


def score(folder, *more, truth_name="t.csv", predictions_name="p.csv"):
    return run(
        "score",
        "tricorder3",
        "--truth",
        folder / truth_name,
        "--predictions",
        folder / predictions_name,
        "--resamples",
        0,
        *more,
    )


def places(entries: list[dict]) -> list[tuple[str, str]]:
    return [(entry["code"], entry["where"]) for entry in entries]


def without_help(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("help: ")]


def bad_option(finished) -> str:
    """What is said of wrong arguments; nothing else may be written."""
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith("error bad-option ")
    assert "Traceback" not in finished.err
    return finished.err


def test_challenges_are_listed():
    finished = run("challenges")
    assert (finished.status, finished.err) == (0, "")
    assert [line.split()[0] for line in finished.out.splitlines()] == scoring.challenge_ids()
    assert "tricorder3" in finished.out


def test_a_person_reads_a_table(folder):
    finished = score(folder)
    assert finished.status == 0
    assert "n = 6" in finished.out
    assert all(name in finished.out for name in ("score", "weighted_f1", *CLASSES))
    assert "warning absent-class VASC: " in finished.err


def test_with_a_json_file_standard_output_stays_empty(folder):
    finished = score(folder, "--json", folder / "card.json")
    assert (finished.status, finished.out) == (0, "")
    assert (
        (folder / "card.json").read_text(encoding="utf-8")
        == score(folder, "--json", "-").out
        == score(folder, "--json=-").out
    )


def test_the_keys_of_a_scorecard(folder):
    card = run(
        *("score", "tricorder3", "--truth", folder / "t.csv", "--predictions", folder / "p.csv"),
        *("--resamples", 20, "--seed", 3, "--model-size-mib", 60, "--json", "-"),
    ).json
    assert list(card)[:9] == [
        *("challenge", "score", "metrics", "per_class", "confusion_matrix", "official", "incomplete"),
        *("n_cases", "intervals"),
    ]
    assert {
        *("n_missing", "model_size_mib", "best_possible_score", "points", "risk_matrix", "slices", "cases"),
        *("findings", "provenance"),
    } <= set(card)
    assert all(set(entry) == KEYS for entry in card["findings"])
    source = card["provenance"]
    assert (
        *(source["seed"], source["resamples"], source["unit"], source["n_units"], source["model_sha256"]),
    ) == (3, 20, "case", 6, None)
    assert source["options"].items() >= {"missing": "refuse", "model_size_mib": 60}.items()
    assert all(re.fullmatch("[0-9a-f]{64}", source[name]) for name in ("truth_sha256", "predictions_sha256"))


def test_findings_go_to_standard_error_in_every_mode(folder):
    spoken = score(folder).err
    assert spoken == score(folder, "--json", "-").err == score(folder, "--json", folder / "c.json").err
    card = json.loads((folder / "c.json").read_text(encoding="utf-8"))
    assert without_help(spoken) == [
        f"{f['level']} {f['code']} {f['where']}: {f['message']}" for f in card["findings"]
    ]


def test_a_refusal_in_words_and_in_json(folder):
    (folder / "p.csv").write_bytes(predictions().replace(b"0.9,", b"high,", 1).replace(b"c2.jpg", b"c22.jpg"))
    finished = score(folder, "--json", "-")
    assert finished.status == 2
    assert set(finished.json) == {"problems", "findings"}
    assert places(finished.json["problems"]) == [("not-a-number", "p.csv:2"), ("missing-case", "c2.jpg")]
    assert places(finished.json["findings"]) == [("extra-case", "p.csv:3")]
    assert all(set(entry) == KEYS for entry in finished.json["problems"] + finished.json["findings"])
    assert {entry["level"] for entry in finished.json["problems"]} == {"error"}
    assert any(line.endswith(": --missing wrong") for line in finished.err.splitlines())
    assert [" ".join(line.split()[:3]) for line in without_help(finished.err)] == [
        "error not-a-number p.csv:2:",
        "error missing-case c2.jpg:",
        "warning extra-case p.csv:3:",
    ]
    in_words, to_file = score(folder), score(folder, "--json", folder / "refused.json")
    assert (
        (in_words.status, in_words.out, in_words.err)
        == (to_file.status, to_file.out, to_file.err)
        == (2, "", finished.err)
    )
    assert json.loads((folder / "refused.json").read_text(encoding="utf-8")) == finished.json


def test_all_problems_come_in_one_answer_truth_first_options_last(folder):
    spoiled = table(
        TRUTH_HEADER,
        *truth_rows(),
        ["c1.jpg", "NV", "42", "Arm", "m"],
        ["c7.jpg", "lesion", "42", "Arm", "m"],
    )
    (folder / "t.csv").write_bytes(b"\xef\xbb\xbf" + spoiled)
    (folder / "p.csv").write_bytes(
        table(
            ("filename", *CLASSES),
            *prediction_rows()[:5],
            ["x.jpg", *["0"] * 11],
            ["c1.jpg", *["0"] * 11],
            ["c3.jpg", "1"],
        )
    )
    finished = score(folder, "--model-size-mib", -1, "--missing", "maybe", "--seed", -1, "--json", "-")
    assert finished.status == 2
    assert places(finished.json["problems"]) == [
        *(("duplicate-case", "t.csv:8"), ("bad-label", "t.csv:9"), ("duplicate-case", "p.csv:8")),
        *(("duplicate-case", "p.csv:9"), ("missing-case", "c6.jpg"), ("missing-case", "c7.jpg")),
        *(("bad-option", "--missing"), ("bad-option", "--model-size-mib"), ("bad-option", "--seed")),
    ]
    assert places(finished.json["findings"]) == [
        ("bom", "t.csv:1"),
        ("official-score-zero", "t.csv:1"),
        ("extra-case", "p.csv:7"),
    ]


@pytest.mark.parametrize("command", ["score", "check"])
def test_findings_of_a_refused_truth_are_told_once(folder, command):
    (folder / "t.csv").write_bytes(b"\xef\xbb\xbf" + truth(labels=["bcc", *LABELS[1:5], "lesion"]))
    finished = run(
        command, "tricorder3", "--truth", folder / "t.csv", "--predictions", folder / "p.csv", "--json", "-"
    )
    assert places(finished.json["problems"]) == [("bad-label", "t.csv:7")]
    assert places(finished.json["findings"]) == [
        ("bom", "t.csv:1"),
        ("label-spelling", "t.csv:2"),
        ("official-run-cancelled", "t.csv:2"),
        ("official-score-zero", "t.csv:1"),
    ]


def test_after_twenty_lines_of_a_code_the_others_are_counted(folder):
    ids = [f"c{i}.jpg" for i in range(60)]
    (folder / "t.csv").write_bytes(truth(ids, ["NV"] * 60))
    (folder / "p.csv").write_bytes(predictions(ids[:7], ["NV"] * 7))
    finished = score(folder, "--json", "-")
    assert len(finished.json["problems"]) == 53
    told = without_help(finished.err)
    assert [line.startswith("error missing-case c") for line in told] == [True] * 20 + [False]
    assert told[-1] == "error missing-case and 33 more"


@pytest.mark.parametrize("which", ["t.csv", "p.csv"])
def test_a_file_that_is_not_there(folder, which):
    (folder / which).unlink()
    finished = score(folder, "--json", "-")
    assert finished.status == 2
    assert places(finished.json["problems"]) == [("unreadable-file", which)]


def test_missing_cases_count_as_wrong_on_request(folder):
    (folder / "p.csv").write_bytes(table(("filename", *CLASSES), *prediction_rows()[:5]))
    assert score(folder).status == 2
    finished = score(folder, "--missing", "wrong", "--json", "-")
    assert (finished.status, finished.json["n_missing"]) == (0, 1)
    assert "warning missing-case c6.jpg: " in finished.err
    assert finished.json["provenance"]["options"]["missing"] == "wrong"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["paint"],
        ["score"],
        ["score", "melanomas"],
        ["score", "tricorder3"],
        ["score", "tricorder3", "--truth", "t.csv"],
        ["score", "tricorder3", "--predictions", "p.csv"],
        ["score", "tricorder3", "--truth", "t", "--predictions", "p", "--model", "m.onnx"],
        ["score", "tricorder3", "--truth", "t", "--predictions", "p", "--resamples", "many"],
        ["score", "tricorder3", "--truth", "t", "--predictions", "p", "--model-size-mib", "big"],
        ["score", "tricorder3", "--truth"],
        ["score", "tricorder3", "--truth", "t", "--predictions", "p", "--colour", "red"],
        ["check", "tricorder3"],
        ["predict", "tricorder3"],
        ["predict", "tricorder3", "--model", "m.onnx"],
        ["predict", "tricorder3", "--model", "m.onnx", "--output", "-"],
        ["challenges", "all"],
    ],
)
def test_wrong_arguments_are_refused_like_a_wrong_file(arguments):
    bad_option(run(*arguments))


def test_wrong_arguments_in_json(folder):
    target = folder / "refused.json"
    bad_option(
        run(
            *("score", "tricorder3", "--truth", "t", "--predictions", "p", "--resamples", "many", "--json"),
            target,
        )
    )
    written = json.loads(target.read_text(encoding="utf-8"))
    assert [p["code"] for p in written["problems"]] == ["bad-option"]
    assert "many" in written["problems"][0]["message"]
    assert written["findings"] == []


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("--resamples", 1), ("--resamples", -3), ("--seed", -1), ("--interval", "exact")),
        *(("--group", "hospital"), ("--missing", "skip"), ("--model-size-mib", "nan")),
        *(("--model-size-mib", "inf"), ("--model-size-mib", -0.1)),
    ],
)
def test_option_values_that_cannot_be(folder, option, value):
    assert option in bad_option(score(folder, option, value))


def test_a_model_brings_its_own_size():
    finished = run(
        *("score", "tricorder3", "--truth", MODEL / "dataset", "--model", MODEL / "model.onnx"),
        *("--model-size-mib", 3, "--resamples", 0, "--json", "-"),
    )
    assert finished.status == 2
    assert places(finished.json["problems"]) == [("bad-option", "--model-size-mib")]


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_target_that_cannot_be_written(folder, option):
    finished = score(folder, option, folder / "no such folder" / "x")
    assert finished.status == 2
    assert f"error bad-option {option}: " in finished.err


def test_check_says_whether_it_would_be_scored(folder):
    finished = run("check", "tricorder3", "--truth", folder / "t.csv", "--predictions", folder / "p.csv")
    assert (finished.status, finished.out.splitlines()[-1]) == (0, "would be scored")
    in_json = run(
        "check", "tricorder3", "--truth", folder / "t.csv", "--predictions", folder / "p.csv", "--json", "-"
    ).json
    assert set(in_json) == {"challenge", "findings", "model", "provenance"}
    assert (in_json["challenge"], in_json["findings"], in_json["model"]) == ("tricorder3", [], None)


def test_check_says_what_would_be_refused(folder):
    (folder / "p.csv").write_bytes(table(("filename", *CLASSES), *prediction_rows()[:5]))
    arguments = "check", "tricorder3", "--truth", folder / "t.csv", "--predictions", folder / "p.csv"
    finished = run(*arguments)
    assert (finished.status, finished.out.splitlines()[-1]) == (2, "would be refused")
    assert "error missing-case c6.jpg: " in finished.err
    to_file = run(*arguments, "--json", folder / "c.json")
    assert (to_file.status, to_file.out) == (2, "")
    assert places(json.loads((folder / "c.json").read_text(encoding="utf-8"))["problems"]) == [
        ("missing-case", "c6.jpg")
    ]
    assert run(*arguments, "--missing", "wrong").out.splitlines()[-1] == "would be scored"


def test_check_needs_no_truth(folder):
    assert (
        run("check", "tricorder3", "--predictions", folder / "p.csv").out.splitlines()[-1]
        == "would be scored"
    )


@pytest.mark.slow
def test_check_of_a_model():
    finished = run(
        "check", "tricorder3", "--model", MODEL / "model.onnx", "--truth", MODEL / "dataset", "--json", "-"
    )
    assert finished.status == 0
    assert {"model-size", "probabilities"} <= {f["code"] for f in finished.json["findings"]}
    assert finished.json["model"]["sha256"]


def test_a_model_that_is_none(folder):
    (folder / "m.onnx").write_bytes(b"this is no model")
    for command in ("check", "score"):
        finished = run(
            command, "tricorder3", "--truth", MODEL / "dataset", "--model", folder / "m.onnx", "--json", "-"
        )
        assert finished.status == 2
        assert places(finished.json["problems"]) == [("model-unreadable", "m.onnx")]


@pytest.mark.slow
def test_a_model_s_predictions_score_like_the_model(folder):
    of_model = run(
        *("score", "tricorder3", "--truth", MODEL / "dataset", "--model", MODEL / "model.onnx"),
        *("--resamples", 20, "--json", "-"),
    ).json
    written = run(
        *("predict", "tricorder3", "--model", MODEL / "model.onnx", "--images", MODEL / "dataset"),
        *("--output", folder / "p.csv", "--json", folder / "p.json"),
    )
    assert (written.status, written.out) == (0, "")
    of_file = run(
        "score",
        "tricorder3",
        "--truth",
        MODEL / "dataset",
        "--predictions",
        folder / "p.csv",
        "--resamples",
        20,
        "--model-size-mib",
        repr(of_model["model_size_mib"]),
        "--json",
        "-",
    ).json
    own = ("model", "findings", "provenance")
    assert {k: v for k, v in of_model.items() if k not in own} == {
        k: v for k, v in of_file.items() if k not in own
    }
    assert (of_model["provenance"]["predictions_sha256"], of_file["provenance"]["model_sha256"]) == (
        None,
        None,
    )
    assert (
        of_model["provenance"]["model_sha256"]
        == of_model["model"]["sha256"]
        == json.loads((folder / "p.json").read_text())["model"]["sha256"]
    )


@pytest.mark.slow
def test_predictions_on_images_without_a_table(folder):
    finished = run(
        *("predict", "tricorder3", "--model", MODEL / "model.onnx", "--images", MODEL / "dataset" / "images"),
        *("--output", "-"),
    )
    assert finished.status == 0
    assert [line.split(",")[0] for line in finished.out.splitlines()] == [
        "filename",
        *sorted(p.name for p in (MODEL / "dataset" / "images").iterdir()),
    ]
    assert "warning missing-demographics images: " in finished.err


@pytest.mark.slow
def test_images_that_lack_are_refused_or_wrong(folder):
    (folder / "set" / "images").mkdir(parents=True)
    for path in (MODEL / "dataset").rglob("*.*"):
        (folder / "set" / path.relative_to(MODEL / "dataset")).write_bytes(path.read_bytes())
    (folder / "set" / "images" / "a1.jpg").unlink()
    (folder / "set" / "images" / "a3.jpg").write_bytes(b"no picture")
    arguments = (
        *("score", "tricorder3", "--truth", folder / "set", "--model", MODEL / "model.onnx", "--resamples"),
        *(0, "--json", "-"),
    )
    refused = run(*arguments)
    assert refused.status == 2
    assert places(refused.json["problems"]) == [
        ("image-missing", "images/a1.jpg"),
        ("image-unreadable", "images/a3.jpg"),
    ]
    wrong = run(*arguments, "--missing", "wrong")
    assert (wrong.status, wrong.json["n_missing"]) == (0, 2)


def test_a_report_loads_nothing(folder):
    assert score(folder, "--html", folder / "report.html").status == 0
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert report.lstrip().lower().startswith("<!doctype html>")
    assert (
        re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)\s*=\s*[\"']?(?!data:|#)[^\"'>\s]+", report)
        == []
    )


def test_a_defect_is_one_line_and_no_traceback(folder, monkeypatch):
    def broken(_asked):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("scoring.cli.score_command.score", broken)
    finished = score(folder)
    assert (finished.status, finished.out) == (1, "")
    assert "ZeroDivisionError" in finished.err
    assert "Traceback" not in finished.err


@pytest.mark.parametrize(("raised", "status"), [(KeyboardInterrupt, 130), (BrokenPipeError, 0)])
def test_interruptions_are_quiet(folder, monkeypatch, raised, status):
    def interrupted(_asked):
        raise raised

    monkeypatch.setattr("scoring.cli.score_command.score", interrupted)
    finished = score(folder)
    assert finished.status == status
    assert "Traceback" not in finished.err


def test_version():
    finished = run_fresh("--version")
    assert (finished.status, finished.out.strip(), finished.err) == (0, scoring.__version__, "")


@pytest.mark.slow
def test_the_same_bytes_however_often_and_with_any_hash_seed(folder):
    arguments = (
        *("score", "tricorder3", "--truth", folder / "t.csv", "--predictions", folder / "p.csv"),
        *("--resamples", 50, "--json", "-"),
    )
    one = run(*arguments).out
    assert {
        one,
        run(*arguments).out,
        *(run_fresh(*arguments, environment={"PYTHONHASHSEED": str(seed)}).out for seed in (1, 2)),
    } == {one}


def test_a_folder_on_disk_and_a_dropped_one_give_the_same_bytes(folder):
    challenge = scoring.load_challenge("tricorder3")
    files = {"labels.csv": truth(), "images/c1.jpg": b"1"}
    (folder / "set" / "images").mkdir(parents=True)
    for name, data in files.items():
        (folder / "set" / name).write_bytes(data)

    def card(source) -> str:
        cases = challenge.read_truth(source)
        return challenge.score(
            cases, challenge.read_predictions({"p.csv": predictions()}, cases), resamples=20
        ).to_json()

    assert card(folder / "set") == card(files)


@pytest.mark.slow
def test_ids_that_a_spreadsheet_would_run_are_told_and_stay_as_they_are(tmp_path):
    images, model = tmp_path / "images", tmp_path / "m.onnx"
    images.mkdir()
    (images / "=cmd.jpg").write_bytes((ROOT / "sample_data/tricorder3/images/L0007.jpg").read_bytes())
    model.write_bytes(builders.classifier(vector=False))
    finished = run("predict", "tricorder3", "--model", model, "--images", images, "--output", "-")
    assert "warning formula-id -: 1 id such as '=cmd.jpg'" in finished.err
    assert "\n=cmd.jpg," in finished.out
