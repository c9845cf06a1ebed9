"""Truth and predictions of declared challenges as tables: gaps, refusals, subgroups, comparisons."""

import json

import numpy as np
import pytest
from sklearn import metrics

import scoring
from scoring.challenges.declared import library
from scoring.comparison.compare import compare
from scoring.metrics import registry
from scoring.presentation.figures.theme import LIGHT
from tests.support import schemas
from tests.support.command_line import run, run_fresh
from tests.support.findings import codes, refused

HEAD = 'id = "c"\ntitle = "C"\n'
BINARY = HEAD + (
    'task = "classification"\nclasses = ["no", "yes"]\npositive = "yes"\n[truth]\ncase = "id"\n'
    'label = "y"\nunit = "patient"\n[predictions]\nscore = "p"\nmissing = "{}"\n[score]\nmetric = "auc"\n'
    '[[report]]\nmetric = "accuracy"\n[subgroups]\ncolumns = ["center"]\n'
)
GRADES = HEAD + (
    'task = "ordinal"\nclasses = ["0", "1", "2"]\n[truth]\ncase = "id"\nlabel = "y"\n'
    '[predictions]\nlabel = "p"\nmissing = "{}"\n[score]\nmetric = "quadratic_kappa"\n'
)
AGES = HEAD + (
    'task = "regression"\n[truth]\ncase = "id"\nvalue = "y"\n[predictions]\nvalue = "p"\nmissing = "{}"\n'
    '[score]\nmetric = "mae"\n[[report]]\nmetric = "pearson"\n'
)
RISKS = HEAD + (
    'task = "survival"\n[truth]\ncase = "id"\ntime = "t"\nevent = "e"\n[predictions]\nrisk = "p"\n'
    '[score]\nmetric = "c_index"\n'
)
random = np.random.default_rng(3)
N = 60
YES = random.random(N) < 0.4
P = np.round(0.3 * YES + 0.7 * random.random(N), 2)
TRUTH = ["id,y,center,patient"] + [
    f"{i},{'yes' if y else 'no'},{'ab'[i % 2]},{i // 2}" for i, y in enumerate(YES.tolist())
]
SCORES = ["id,p"] + [f"{i},{p}" for i, p in enumerate(P.tolist())]
GAPS = (3, 7)


def csv(lines: list[str]) -> bytes:
    return "\n".join(lines).encode()


def card(text: str, truth: list[str], predictions: list[str], **options) -> scoring.ScoreCard:
    challenge = library.of_text(text, "c.toml")
    cases = challenge.read_truth(csv(truth), "t.csv")
    return challenge.score(cases, challenge.read_predictions(csv(predictions), cases, "p.csv"), **options)


def without(lines: list[str], gaps: tuple[int, ...]) -> list[str]:
    """A row is not there, and a cell is empty."""
    first, second = (gap + 1 for gap in gaps)
    return [f"{line.split(',')[0]}," if i == second else line for i, line in enumerate(lines) if i != first]


def test_gaps_refuse_count_as_wrong_or_are_left_out():
    sent = without(SCORES, GAPS)
    problems = refused(card, BINARY.format("refuse"), TRUTH, sent).problems
    assert sorted(codes(problems)) == ["missing-case", "missing-value"]
    worst = P.copy()
    worst[list(GAPS)] = np.where(YES[list(GAPS)], -9, 9)
    found = card(BINARY.format("worst"), TRUTH, sent, resamples=0)
    assert found.score == pytest.approx(metrics.roc_auc_score(YES, worst), abs=1e-12)
    assert found.metrics["accuracy"] == pytest.approx(metrics.accuracy_score(YES, worst > 0.5))
    assert found.incomplete == "2 of 60 cases have no prediction and count as wrong"
    kept = np.setdiff1d(np.arange(N), GAPS)
    found = card(BINARY.format("ignore"), TRUTH, sent, resamples=0)
    assert found.score == pytest.approx(metrics.roc_auc_score(YES[kept], P[kept]), abs=1e-12)
    assert found.metrics["accuracy"] == pytest.approx(metrics.accuracy_score(YES[kept], P[kept] > 0.5))


@pytest.mark.parametrize(
    ("cell", "code", "words"),
    [
        (lambda i, age: -999 if i < 3 else age + 2, "sentinel-value", "3 predictions are -999"),
        (lambda i, age: 9999.0 if i == 5 else age - 2, "sentinel-value", "1 prediction is 9999"),
        (lambda _, age: age / 100, "other-unit", "100 times as large"),
        (lambda _, age: age * 12 + 1, "other-unit", "12 times as small"),
        (lambda i, age: -999 if i < 30 else age / 10, "other-unit", "10 times as large"),
        (lambda _, age: age + 2, None, ""),
        (lambda _, age: 60 - 0.05 * (age - 60), None, ""),
        (lambda i, age: 99 if i == 4 else age, None, ""),  # an age
    ],
)
def test_numbers_that_stand_for_gaps_or_are_in_another_unit_are_told_and_scored_as_they_are(
    cell, code, words
):
    """-999 for a gap and ages 100 times too small were scored without a word."""
    ages = [30 + 1.0 * i for i in range(60)]
    truth = ["id,y", *(f"{i},{age}" for i, age in enumerate(ages))]
    numbers = [cell(i, age) for i, age in enumerate(ages)]
    found = card(AGES.format("ignore"), truth, ["id,p", *(f"{i},{n}" for i, n in enumerate(numbers))])
    assert found.score == pytest.approx(np.abs(np.array(numbers) - ages).mean())
    told = [f for f in found.findings if f.code in ("sentinel-value", "other-unit")]
    assert {code} - {None} <= {f.code for f in told}
    assert bool(told) == (code is not None)
    assert all((f.level, f.where) == ("warning", "p.csv") for f in told)
    assert any(words in f.message for f in told) or not code


@pytest.mark.parametrize("factor", [1, -1])
def test_numbers_of_both_signs_have_no_ratio(factor):
    """A weak model of differences predicts little: that is no unit."""
    truth = ["id,y", *(f"{i},{i - 29.5}" for i in range(60))]
    sent = ["id,p", *(f"{i},{factor * (i - 29.5) / 50}" for i in range(60))]
    assert codes(card(AGES.format("ignore"), truth, sent).findings) == []


def test_a_missing_grade_is_as_far_off_as_can_be():
    truth, sent = ["id,y", "a,0", "b,1", "c,2", "d,2"], ["id,p", "a,0", "b,1", "c,2"]
    found = card(GRADES.format("worst"), truth, sent, resamples=0)
    expected = metrics.cohen_kappa_score([0, 1, 2, 2], [0, 1, 2, 0], weights="quadratic")
    assert found.score == pytest.approx(expected, abs=1e-12)


def test_values_left_out_and_values_that_cannot_be_worst():
    truth, sent = ["id,y", "a,10", "b,20", "c,40"], ["id,p", "a,12", "c,37.5"]
    assert card(AGES.format("ignore"), truth, sent, resamples=0).score == pytest.approx(2.25)
    problems = refused(card, AGES.format("worst"), truth, sent).problems
    assert [(p.code, p.where) for p in problems] == [("bad-value", "c.toml:9")]


@pytest.mark.parametrize(
    ("text", "truth", "sent", "expected"),
    [
        (GRADES, ["id,y", "a,0", "b,4", "c,4"], ["id,p", "a,0"], [("bad-label", "t.csv:3", "(2 rows)")]),
        (GRADES, ["id,grade", "a,0"], ["id,p"], [("missing-column", "t.csv:1", "'y'")]),
        (GRADES, ["id,y", "a,0", "a,1"], ["id,p"], [("duplicate-case", "t.csv:3", "")]),
        (GRADES, ["id,y", "a,"], ["id,p"], [("missing-value", "t.csv:2", "")]),
        (GRADES, ["id,y", "a,0"], ["id,q", "a,0"], [("missing-column", "p.csv:1", "'p'")]),
        (GRADES, ["id,y", "a,0"], ["id,p", "a,x"], [("bad-label", "p.csv:2", "Classes: 0, 1, 2")]),
        (GRADES, ["id,y", "a,0"], ["id,p", "b,0"], [("no-common-case", "p.csv", "")]),
        (AGES, ["id,y", "a,old"], ["id,p"], [("not-a-number", "t.csv:2", "")]),
        (AGES, ["id,y", "a,3"], ["id,p", "a,inf"], [("not-finite", "p.csv:2", "")]),
        (RISKS, ["id,t,e", "a,-1,2"], ["id,p"], [("bad-label", "t.csv:2", "below 0. the event is")]),
    ],
)
def test_tables_are_refused_with_every_problem(text, truth, sent, expected):
    problems = refused(card, text.format("refuse"), truth, sent).problems
    assert [(p.code, p.where) for p in problems] == [(code, where) for code, where, _ in expected]
    assert all(words in p.message for p, (*_, words) in zip(problems, expected, strict=True))


def test_what_a_truth_does_not_have_is_said_and_not_guessed():
    text = BINARY.format("refuse")
    one = [TRUTH[0]] + [line.replace("yes", "no") for line in TRUTH[1:]]
    found = card(text, one, SCORES, resamples=0)
    assert found.score is None
    assert {"absent-class", "undefined-metric"} <= set(codes(found.findings))
    bare = [line.rpartition(",")[0].rpartition(",")[0] for line in TRUTH]
    problems = refused(card, text, bare, SCORES).problems
    assert [(p.code, "'center'" in p.message) for p in problems] == [
        ("missing-column", True),
        ("missing-column", False),
    ]


def test_columns_that_lack_are_said_at_once_with_place_and_mend(tmp_path):
    text = BINARY.format("refuse").replace('"center"', '"centr"')
    challenge, truth, sent = library.of_text(text, "c.toml"), csv(TRUTH), csv(["id,prob", *SCORES[1:]])
    expected = [
        ("p.csv:1", "there is no column for the score: name it 'p'. Found: 'id', 'prob'."),
        (
            "t.csv",
            "there is no column 'centr', but subgroups.columns in the challenge's file names "
            "this column. Add the column here or to a table of metadata, or change the "
            "challenge's file. Did you mean 'center'?",
        ),
    ]
    for name, data in (("c.toml", text.encode()), ("t.csv", truth), ("p.csv", sent)):
        (tmp_path / name).write_bytes(data)
    paths = [tmp_path / "t.csv", tmp_path / "p.csv"]
    problems = refused(scoring.score, challenge, truth=paths[0], predictions=paths[1]).problems
    assert [(p.where, p.message) for p in problems] == expected
    given = ("--truth", paths[0], "--predictions", paths[1])
    for command in (("score",), ("challenge", "check")):
        said = run(*command, tmp_path / "c.toml", *given).err
        assert [line for line in said.splitlines() if line.startswith("error")] == [
            f"error missing-column {where}: {message}" for where, message in expected
        ]


def test_columns_of_classes_that_lack_are_one_problem():
    text = GRADES.format("refuse").replace('label = "p"', 'scores = "classes"')
    problems = refused(card, text, ["id,y", "a,1"], ["id,1", "a,1"]).problems
    assert [p.message for p in problems] == [
        "2 columns are missing, each for the score of a class: add columns with the names '0', "
        "'2'. Found: 'id', '1'."
    ]


def test_probabilities_are_asked_for_where_a_metric_needs_them():
    text = BINARY.format("refuse").replace('"auc"', '"log_loss"')
    problems = refused(card, text, TRUTH, [*SCORES[:-1], "59,1.5"]).problems
    assert [(p.code, p.where) for p in problems] == [("not-a-probability", "p.csv:1")]


def test_classes_are_not_called_at_a_threshold_that_nobody_wrote():
    text, logits = BINARY.format("refuse").replace('"auc"', '"accuracy"'), [*SCORES[:-1], "59,1.5"]
    assert [p.code for p in refused(card, text, TRUTH, logits).problems] == ["not-a-probability"]
    written = text.replace("[predictions]", "[predictions]\nthreshold = 0.5")
    assert card(written, TRUTH, logits, resamples=0).score is not None
    assert card(text, TRUTH, SCORES, resamples=0).score is not None


def test_other_thresholds_are_those_of_the_positive_class():
    def sections(text: str, sent: list[str]) -> dict:
        made = card(text, TRUTH, ["id,p", *sent], resamples=0)
        return {s.name: s.blocks for s in library.find(made.challenge).display.views(made).sections}

    text = BINARY.format("refuse")
    (figure,) = sections(text, SCORES[1:])["Thresholds"]
    assert 0.5 in figure.data["threshold"]
    for i, cut in enumerate(figure.data["threshold"][:-1]):
        called = cut < P
        for name, measure in (("recall", metrics.recall_score), ("precision", metrics.precision_score)):
            assert figure.data[name][i] == pytest.approx(measure(YES, called))
        assert figure.data["specificity"][i] == pytest.approx(metrics.recall_score(~YES, ~called))
        assert figure.data["f1"][i] == pytest.approx(metrics.f1_score(YES, called))
    figure.build(LIGHT)
    sections(text, [f"{i},0.5" for i in range(N)])["Thresholds"][0].build(LIGHT)
    labels = text.replace('score = "p"', 'label = "p"').replace('"auc"', '"f1"')
    assert "Thresholds" not in sections(labels, [f"{i},no" for i in range(N)])


def test_subgroups_and_units():
    found = card(BINARY.format("refuse"), TRUTH, SCORES, resamples=100)
    for k, name in enumerate("ab"):
        row, members = found.more["slices"]["center"][name], np.arange(N) % 2 == k
        assert row["n"] == members.sum()
        assert row["score"] == pytest.approx(metrics.roc_auc_score(YES[members], P[members]), abs=1e-12)
    assert (found.provenance["unit"], found.provenance["n_units"]) == ("patient", 30)


@pytest.mark.parametrize(
    ("metric", "option"),
    [("sensitivity_at_specificity", "min_specificity"), ("specificity_at_sensitivity", "min_sensitivity")],
)
def test_an_option_that_the_file_leaves_out_has_its_default(metric, option):
    default = registry.find("classification", metric).parameters[option].default
    texts = [
        BINARY.format("refuse").replace('"auc"', f'"{metric}"{told}')
        for told in ("", f"\n{option} = {default}")
    ]
    short, long = (card(text, TRUTH, SCORES, resamples=200) for text in texts)
    assert [*short.intervals.values()] == [*long.intervals.values()]
    assert short.score == long.score


def test_lower_is_better_and_mean_ranks():
    truth = ["id,y"] + [f"{i},{i}" for i in range(60)]
    near, far, level = (
        ["id,p"] + [f"{i},{guess(i)}" for i in range(60)]
        for guess in (lambda i: i + i % 3, lambda i: i + 6, lambda i: 29 + i % 2)
    )
    for rule, expected in (
        ("", {"near": 1, "far": 2, "level": 3}),
        ('[ranking]\nby = "mean_rank"\n', {"near": 1, "far": 1, "level": 3}),
        ('[ranking]\nby = "case_rank"\n', {"near": 1, "far": 2, "level": 3}),
    ):
        challenge = library.of_text(AGES.format("refuse") + rule, "c.toml")
        assert challenge.scoring.quantity().better == "lower"
        cases = challenge.read_truth(csv(truth))
        sent = {"near": near, "far": far, "level": level}
        teams = {name: challenge.read_predictions(csv(lines), cases) for name, lines in sent.items()}
        assert dict(compare(challenge, cases, teams, resamples=60).ranks) == expected
        card = challenge.score(cases, teams["near"], resamples=0)
        assert json.loads(card.to_json())["better"] == "lower"


def test_the_same_input_gives_the_same_bytes(tmp_path):
    for name, content in {"c.toml": BINARY.format("refuse").encode(), "t.csv": csv(TRUTH)}.items():
        (tmp_path / name).write_bytes(content)
    for name, lines in {"a": SCORES, "b": [SCORES[0], *(f"{i},0.{i % 7}" for i in range(N))]}.items():
        (tmp_path / f"{name}.csv").write_bytes(csv(lines))
    common = (tmp_path / "c.toml", "--truth", tmp_path / "t.csv", "--resamples", 60, "--json", "-")
    one = ("--predictions", tmp_path / "a.csv", "--html", tmp_path / "r.html", "--paper", tmp_path / "p.zip")
    done = run("score", *common, *one)
    assert done.status == 0, done.err
    assert schemas.problems("scorecard", done.out) == []
    assert run_fresh("score", *common, *one).out == done.out
    teams = [f"{name}={tmp_path / name}.csv" for name in "ab"]
    done = run("compare", *common, *teams, "--html", tmp_path / "c.html", "--paper", tmp_path / "q.zip")
    assert done.status == 0, done.err
    assert schemas.problems("comparison", done.out) == []
    assert done.json["pairs_test"] == "swap test"
    assert run("check", *common[:3], "--predictions", tmp_path / "a.csv", "--json", "-").status == 0
    report = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "center" in report
    assert "accuracy" in report


def test_the_table_of_a_folder_is_the_one_with_the_columns():
    text = BINARY.format("refuse")
    challenge = library.of_text(text, "c.toml")
    about = csv(["id,age,center", *(f"{i},50,z" for i in range(N))])
    folder = {"metadata.csv": about, "truth.csv": csv(TRUTH), "x/other.csv": b"a,b\n1,2\n"}
    cases = challenge.read_truth(folder)
    sent = {"labels.csv": about, "answers.csv": csv(SCORES)}
    found = challenge.score(cases, challenge.read_predictions(sent, cases), resamples=0)
    assert found.score == card(text, TRUTH, SCORES, resamples=0).score


@pytest.mark.parametrize(
    ("task", "columns", "answer", "metric", "cell"),
    [
        ("survival", 'time = "t"\nevent = "y"', "risk", "c_index", "0"),
        ("regression", 'value = "y"', "value", "pearson", "3"),
    ],
)
def test_a_board_on_a_truth_that_defines_no_score_says_so(
    tmp_path, monkeypatch, task, columns, answer, metric, cell
):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    text = f'id = "a"\ntitle = "A"\ntask = "{task}"\n[truth]\ncase = "id"\n{columns}\n'
    text += f'[predictions]\n{answer} = "p"\n[score]\nmetric = "{metric}"\n'
    (tmp_path / "a.toml").write_text(text)
    (tmp_path / "t.csv").write_text("id,t,y\n" + "".join(f"i{k},{k},{cell}\n" for k in range(20)))
    named = ("--id", "b", "--title", "B", "--truth", tmp_path / "t.csv")
    told = run("board", "create", tmp_path / "a.toml", *named)
    assert (told.status, "undefined-metric" in told.err) == (0, True)
    assert f"{metric} will be undefined for every team" in told.err
