"""The page as its visitors use it. What it shows is compared with what the command line and the challenge say
of the same files."""

import gzip
import json
import re
from functools import cache

import pytest

import scoring
from scoring.challenges import samples
from scoring.challenges.hecktor2026 import patients as hecktor_patients
from scoring.challenges.hecktor2026.options import CHOICES
from scoring.common import text
from scoring.presentation.figures.numerals import decimal, share, span
from tests.support import patients, visits, volumes
from tests.support.command_line import ROOT, run
from tests.support.payloads import PAYLOADS
from tests.support.thinned import crossed, some, some_rows
from tests.support.visits import archive, words

CHALLENGE = scoring.load_challenge("hecktor2026")
SAMPLE = samples.test_sets("hecktor2026")["sample"]
GOLDEN = ROOT / "tests" / "golden" / "hecktor2026"
SCORED = ["basics", "perfect", "gaps", "gaps-skip-exclude", "container-layout"]
TABS = {
    "Segmentation": "How well does each patient's mask fit?",
    "Staging": "Which T stage is taken for which?",
    "Prognosis": "Do those with a higher predicted risk relapse earlier?",
    "Centers": "Does it work everywhere?",
    "Readings": "What would the score be under another reading?",
    "Patients": "Whose masks fit worst?",
    "Viewer": "What became of its voxels?",
}
"""Each tab's name and a question that it answers."""
ROWS = [
    {
        "PatientID": f"P{i}",
        "T_stage": f"T{1 + i % 4}",
        "N_stage": f"N{i % 4}",
        "Relapse": i % 2,
        "RFS": 100 + i,
        "CenterID": "ABC"[i % 3],
    }
    for i in range(9)
]
MASKS = {f"P{i}": patients.labels(*[1] * (i % 3), *[2] * (i % 4)) for i in range(9)}
TOLD = [
    {"PatientID": row["PatientID"], "T_stage": "T2", "N_stage": row["N_stage"], "risk": 10 - i}
    for i, row in enumerate(ROWS)
]


@pytest.fixture
def hecktor(opened):
    return lambda **address: visits.finished(opened("hecktor2026", **address))


def put(app, submission=None, test_set=None):
    """Folders or single files through the inputs: a folder as a zip, a file as (name, content)."""
    packed = [
        files if files is None or isinstance(files, tuple) else ("files.zip", archive(**files))
        for files in (submission, test_set)
    ]
    return visits.put("hecktor2026", app, *packed)


def contents(folder) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@cache
def read(team: str):
    truth = CHALLENGE.read_truth(SAMPLE.path)
    return truth, CHALLENGE.read_predictions(SAMPLE.submissions[team].path, truth)


@cache
def scorecard(team: str, **options):
    """The card that the page shows of a sample team."""
    return CHALLENGE.score(*read(team), **options)


def assert_shows(app, card) -> None:
    assert not app.exception
    assert not app.error
    assert app.metric[0].value == share(card.score)
    visits.assert_exact(app, f"**{card.score!r}**")


def shown_table(app, *columns: str):
    """The table that has these columns."""
    return next(frame.value for frame in app.dataframe if set(columns) <= set(frame.value.columns))


@pytest.mark.parametrize("team", SAMPLE.submissions)
def test_a_sample_team_has_the_score_of_the_command_line(hecktor, team):
    said = run(
        "score",
        "hecktor2026",
        "--truth",
        SAMPLE.path,
        "--predictions",
        SAMPLE.submissions[team].path,
        "--resamples",
        0,
        "--json",
        "-",
    ).json
    app = hecktor(submission=team)
    assert f"**{said['score']!r}**" in words(app)
    assert_shows(app, scorecard(team))
    assert span(scorecard(team).intervals["score"], 3) in str(app.metric[0].proto)


def test_it_opens_on_the_first_sample_with_all_its_tabs(hecktor):
    app = hecktor()
    assert app.selectbox(key="hecktor2026_set").value == "sample"
    assert app.selectbox(key="hecktor2026_submission").value == next(iter(SAMPLE.submissions))
    assert [tab.label for tab in app.tabs] == [*TABS, "History"]


@pytest.mark.parametrize("name", some(SCORED, 2))
def test_golden_files_dropped_have_the_expected_score(hecktor, name):
    case = json.loads((GOLDEN / name / "case.json").read_text(encoding="utf-8"))
    options = dict(zip(case["arguments"][2::2], case["arguments"][3::2], strict=True))
    files = [
        contents((GOLDEN / name / options[which].removeprefix("@")).resolve())
        for which in ("--predictions", "--truth")
    ]
    app = put(hecktor(), *files)
    for option in CHOICES:
        chosen = options.get(f"--{option.replace('_', '-')}")
        if chosen:
            app.selectbox(key=option).set_value(chosen).run()
    assert not app.exception
    expected = case["expect"]["metrics"]
    assert app.metric[0].value == share(case["expect"]["score"])
    for metric in ("segmentation", "staging", "c_index"):
        assert f"**{share(expected[metric])}** " in words(app)
    assert f"**{share(expected['unweighted_score'])}**" in words(app)


@pytest.mark.parametrize(("team", "tab"), crossed(["umbra", "mira"], list(TABS), 2))
def test_every_tab_answers_the_samples(hecktor, team, tab):
    app = hecktor(submission=team, tab=tab)
    assert not app.exception
    questions = {heading.value for heading in app.header} & {
        text.markdown(question) for question in TABS.values()
    }
    assert questions == {text.markdown(TABS[tab])}


def without(rows, *names):
    return [{key: value for key, value in row.items() if key not in names} for row in rows]


POOR = {
    "no mask in the truth": (patients.truth_folder(ROWS), patients.submission_folder(TOLD)),
    "masks alone": (patients.truth_folder([], MASKS), patients.submission_folder([], MASKS)),
    "no stages": (
        patients.truth_folder(without(ROWS, "T_stage", "N_stage"), MASKS),
        patients.submission_folder(TOLD, MASKS),
    ),
    "no survival": (
        patients.truth_folder(without(ROWS, "RFS"), MASKS),
        patients.submission_folder(TOLD, MASKS),
    ),
    "no center": (
        patients.truth_folder(without(ROWS, "CenterID"), MASKS),
        patients.submission_folder(TOLD, MASKS),
    ),
    "nothing but a score": (
        patients.truth_folder(ROWS, MASKS),
        patients.submission_folder(without(TOLD, "T_stage", "N_stage")),
    ),
    "one patient": (
        patients.truth_folder(ROWS[1:2], {"P1": MASKS["P1"]}),
        patients.submission_folder(TOLD[1:2]),
    ),
    "nobody relapsed": (
        patients.truth_folder([row | {"Relapse": 0} for row in ROWS], MASKS),
        patients.submission_folder(TOLD, MASKS),
    ),
    "every mask empty": (
        patients.truth_folder(ROWS, dict.fromkeys(MASKS, patients.labels())),
        patients.submission_folder(TOLD, dict.fromkeys(MASKS, patients.labels())),
    ),
}


@pytest.mark.parametrize("name", some(list(POOR), 2))
def test_every_tab_answers_a_test_set_that_lacks_something(hecktor, name):
    truth, submission = POOR[name]
    card = patients.card(truth, submission)
    app = put(hecktor(), submission, truth)
    for tab in TABS:
        app.session_state["tab"] = tab
        app.run()
        assert not app.exception
        assert not app.error
        assert app.metric[0].value == share(card.score)
        is_first = tab == next(iter(TABS))
        assert ("The score is **undefined**" in words(app)) is (is_first and card.score is None)


@pytest.mark.parametrize(
    "address",
    some(
        [
            {"submission": "nobody"},
            {"set": "../../etc"},
            {"tab": "Nowhere"},
            {"empty_masks": "two"},
            {"prognosis_direction": "<b>", "lesions": "perhaps"},
            {"tab": "Viewer", "patient": "nobody"},
            {"tab": "Viewer", "place": "axial-9999999999-2-3"},
            {"tab": "Viewer", "place": "oblique-1-2-3"},
            {"tab": "Viewer", "place": "axial-1-2"},
            {"tab": "Viewer", "place": "axial-²-1-2"},
            {"tab": "Centers", "center_quantity": "luck"},
        ],
        3,
    ),
)
def test_an_address_that_was_tampered_with_opens_the_sample(hecktor, address):
    app = hecktor(**address)
    assert not app.exception
    assert len(app.metric) == 1


@pytest.mark.parametrize(
    ("option", "value"),
    some_rows([(option, value) for option, values in CHOICES.items() for value in values[1:]], 2),
)
def test_every_option_changes_the_page_as_the_scorer(hecktor, option, value):
    app = hecktor(submission="mira")
    app.selectbox(key=option).set_value(value).run()
    assert_shows(app, scorecard("mira", **{option: value}))
    linked = hecktor(submission="mira", **{option: value})
    assert_shows(linked, scorecard("mira", **{option: value}))


def test_nodes_are_counted_when_they_are_asked_for_and_not_ranked(hecktor):
    app = hecktor(submission="mira")
    assert "detection F1" not in words(app)
    app = visits.finished(app.toggle(key="lesions").set_value(True).run())
    assert app.toggle(key="lesions").value
    m = scorecard("mira", lesions=True).metrics
    assert f"**{share(m['gtvn_detection_f1'])}** " in words(app)
    assert f"**{decimal(m['gtvn_count_error'], 2)}** " in words(app)
    assert_shows(app, scorecard("mira"))
    assert "detection F1" in words(hecktor(submission="mira", lesions="true"))


@pytest.mark.parametrize("team", SAMPLE.submissions)
def test_three_subtasks_add_up_and_what_was_lacking_is_said(hecktor, team):
    card, said = scorecard(team), words(hecktor(submission=team))
    for metric, (name, _, points) in CHALLENGE.scoring.parts.items():
        assert name in said
        between = span(card.intervals[metric], 3)
        assert f"**{share(card.metrics[metric])}** :small[:gray[{between}]]" in said
        assert f"× {points / 100:.2f} = **{decimal(points / 100 * card.metrics[metric], 4)}**" in said
    assert (
        f"**{share(card.metrics['unweighted_score'])}** :small[:gray["
        f"{decimal(card.metrics['consistency'], 4)} from the weighted score]]"
    ) in said
    m = card.metrics
    for words_for_one, n in {
        "missing mask": m["n_missing_masks"],
        "malformed mask": m["n_malformed_masks"],
    }.items():
        assert (f"▲ {n} {words_for_one}" in said) is (n > 0)
    assert ("✓ nothing missing, malformed or unknown" in said) is (team != "mira")
    assert f"{decimal(0.25 * m['dice_from_empty_cases'], 4)} of the score" in said


def test_a_direction_that_is_suspect_is_warned_of_and_switched_by_a_click(hecktor):
    app = hecktor(submission="altair")
    assert "switch_direction" not in [button.key for button in app.button]
    app.selectbox(key="prognosis_direction").set_value("risk").run()
    card = scorecard("altair", prognosis_direction="risk")
    assert "direction-suspect" in [finding.code for finding in card.findings]
    assert f"The C-index is **{share(card.metrics['c_index'])}**" in words(app)
    app.button(key="switch_direction").click().run()
    assert app.selectbox(key="prognosis_direction").value == "time"
    assert_shows(app, scorecard("altair", prognosis_direction="time"))


@pytest.mark.parametrize(
    ("team", "direction", "said"),
    [
        ("vega", "auto", "a column of risks, read as a **risk** (the higher the worse), as it is called"),
        (
            "altair",
            "auto",
            "a column of times (RFS), read as a **time** (the lower the worse), as it is called",
        ),
        ("vega", "time", "a column of risks, read as a **time** (the lower the worse), as the option says"),
    ],
)
def test_the_direction_that_was_used_is_said(hecktor, team, direction, said):
    assert said in words(hecktor(submission=team, tab="Prognosis", prognosis_direction=direction))


def test_the_panel_of_readings_has_the_score_under_every_other_value(hecktor):
    rows = shown_table(hecktor(submission="mira", tab="Readings"), "reading", "difference")
    others = [
        (value, scorecard("mira", resamples=0, **{option: value}))
        for option, values in CHOICES.items()
        for value in values[1:]
    ]
    usual = scorecard("mira", resamples=0)
    assert rows.iloc[0]["score"] == usual.score
    for row, (value, card) in zip(rows.iloc[1:].itertuples(), others, strict=True):
        assert row.reading.endswith(f": {value}")
        assert row.score == pytest.approx(card.score)
        assert row.difference == pytest.approx(card.score - usual.score)
        assert row.segmentation == pytest.approx(card.metrics["segmentation"])


def test_tables_hold_what_the_card_says(hecktor):
    card = scorecard("mira")
    rows = shown_table(hecktor(submission="mira", tab="Staging"), "stage", "recall")
    for row in rows.itertuples():
        entry = card.per_class[row.stage]
        assert row.recall == entry["recall"]
        assert row.support == f"{entry['support']}{'*' * (entry['support'] < 15)}"
    centers = shown_table(hecktor(submission="mira", tab="Centers"), "center", "comparable_pairs").set_index(
        "center"
    )
    assert {name: centers.loc[name, "c_index"] for name in centers.index} == {
        n: e["c_index"] for n, e in card.more["per_center"].items()
    }
    what = shown_table(hecktor(submission="mira"), "what", "GTVn").set_index("what")
    assert what.loc["pooled over all voxels ↑", "GTVn"] == share(card.metrics["dice_agg_gtvn"])
    assert what.loc["empty in both", "GTVp"] == str(card.per_class["GTVp"]["n_both_empty"])


def test_the_worst_come_first(hecktor):
    card, app = scorecard("mira"), hecktor(submission="mira", tab="Patients")
    for by, columns in {
        "dice": ("dice_gtvp", "mask"),
        "stages": ("value", "t_truth"),
        "pairs": ("value", "comparable_pairs"),
    }.items():
        rows = shown_table(app, *columns)
        assert list(rows["case"]) == [worst.case for worst in hecktor_patients.worst(card, by)]


def test_the_viewer_shows_the_patient_of_the_address_and_goes_on(hecktor):
    app = hecktor(tab="Viewer", patient="BIR-003", submission="mira")
    truth, submission = read("mira")
    index = truth.ids.index("BIR-003")
    found = hecktor_patients.volumes(truth, submission, index)
    rows = shown_table(app, "right", "missed")
    assert [tuple(row) for row in rows[["right", "spurious", "missed", "renamed"]].to_numpy()] == [
        (v.right, v.spurious, v.missed, v.renamed) for v in found
    ]
    app.button(key="patient_Next").click().run()
    assert app.selectbox(key="patient").value == truth.ids[index + 1]
    app.button(key="patient_Previous").click().run()
    app.button(key="patient_Previous").click().run()
    assert app.selectbox(key="patient").value == truth.ids[index - 1]
    assert not app.exception


def test_a_patient_of_another_test_set_gives_way(hecktor):
    app = put(
        hecktor(tab="Viewer", patient="BIR-003"),
        patients.submission_folder(TOLD, MASKS),
        patients.truth_folder(ROWS, MASKS),
    )
    assert not app.exception
    assert app.selectbox(key="patient").value == "P0"


def test_a_mask_that_is_not_shown_says_why(hecktor):
    malformed = next(row["case"] for row in scorecard("mira").cases if row["mask"] == "malformed")
    said = words(hecktor(submission="mira", tab="Viewer", patient=malformed))
    assert "the submitted mask is not shown" in said
    assert "it counts as empty" in said


REFUSED = {
    "garbage.csv": bytes(range(256)) * 9,
    "empty.csv": b"",
    "no-patients.csv": b"image,T_stage\nA,T1\n",
    "others.csv": b"PatientID,risk\nnobody,0.5\n",
    "twice.csv": b"PatientID,risk\nALD-001,0.5\nALD-001,0.6\n",
    "cut.zip": archive(a=b"x" * 999)[:50],
    "climbing.zip": archive(**{"../../predictions.csv": b"PatientID,risk\nALD-001,1\n"}),
    "nothing.zip": archive(**{"readme.md": b"hello"}),
    "lonely.nii.gz": gzip.compress(b"\0" * 400),
}


@pytest.mark.parametrize("name", some(list(REFUSED), 2))
def test_a_refused_submission_shows_every_problem_and_keeps_the_rest(hecktor, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(REFUSED[name])
    problems = run("score", "hecktor2026", "--truth", SAMPLE.path, "--predictions", path, "--json", "-").json[
        "problems"
    ]
    app = put(hecktor(), (name, REFUSED[name]))
    visits.assert_refused(app, problems)
    app.button(key="hecktor2026_submission_back").click().run()
    assert_shows(visits.finished(app), scorecard(app.selectbox(key="hecktor2026_submission").value))


def test_a_refused_test_set_shows_every_problem(hecktor):
    case = json.loads((GOLDEN / "refused-truth" / "case.json").read_text(encoding="utf-8"))
    app = put(hecktor(), test_set=contents(GOLDEN / "refused-truth" / "truth"))
    assert not app.exception
    assert "This cannot be scored" in app.error[0].proto.title
    assert [said for said in case["stderr"] if said not in words(app)] == []


def test_bombs_and_headers_that_lie_count_as_missing_masks(hecktor):
    told = patients.submission_folder(TOLD, MASKS)
    told["masks/P1.nii.gz"] = volumes.zipped(volumes.nifti(MASKS["P1"]) + bytes(50_000_000), 9)
    told["masks/P2.nii.gz"] = volumes.zipped(
        volumes.nifti(MASKS["P2"], fields={"dim": [3, 30_000, 30_000, 30_000, 1, 1, 1, 1]})
    )
    told["masks/P3.nii.gz"] = volumes.zipped(volumes.nifti(MASKS["P3"]))[:-30]
    app = put(hecktor(tab="Viewer"), told, patients.truth_folder(ROWS, MASKS))
    app.selectbox(key="patient").set_value("P1").run()
    assert not app.exception
    assert "▲ 3 malformed masks" in words(app)
    assert "it counts as empty" in words(app)
    assert "the submitted mask is not shown" in words(app)


def test_downloads_say_that_they_hold_the_truth(hecktor):
    assert "hold what the truth says of every patient" in words(hecktor())


def test_files_and_folders_are_read_alike(hecktor):
    truth, submission = patients.truth_folder(ROWS, MASKS), patients.submission_folder(TOLD, MASKS)
    card = patients.card(truth, submission)
    app = put(hecktor(), None, truth)
    flat = [(name.rsplit("/", 1)[-1], content) for name, content in submission.items()]
    for name, content in flat:
        app.file_uploader(key="hecktor2026_submission_files").upload(name, content)
    app = visits.finished(app.run())
    assert not app.exception
    assert app.metric[0].value == share(card.score)


@pytest.mark.parametrize("payload", some(PAYLOADS, 5, 3))
def test_foreign_names_of_patients_and_centers_are_shown_as_they_were_typed(hecktor, payload):
    name = re.sub(r"[\n,\"/\\\u202e\u200b]", " ", payload).strip()
    truth = [row | {"PatientID": f"{name} {row['PatientID']}", "CenterID": name} for row in ROWS]
    told = [row | {"PatientID": f"{name} {row['PatientID']}"} for row in TOLD]
    masks = {f"{name} {patient}": labels for patient, labels in MASKS.items()}
    app = put(hecktor(), patients.submission_folder(told[:-1], masks), patients.truth_folder(truth, masks))
    for tab in TABS:
        app.session_state["tab"] = tab
        app.run()
        assert not app.exception
        assert len(app.metric) == 1
        said = [str(element.value) for kind in (app.markdown, app.caption, app.header) for element in kind]
        bare = [re.sub(r"\\[!-/:-@\[-`{-~]", "", line) for line in said]
        for mark in (
            "](http",
            "://",
            "<script",
            "<img",
            "<iframe",
            "<style",
            "<a href",
            ":red[colour",
            "www.",
            "**bold**",
        ):
            assert [line for line in bare if mark in line] == []
