"""What holds of every challenge: options, seeds, faults of its tables, its views, its models."""

import numpy as np
import pytest

import scoring
from scoring.challenges import samples
from scoring.core.submitted_part import of_cases
from scoring.core.views import Facts, Figure, Table, Text
from scoring.presentation import html
from scoring.presentation.figures.theme import LIGHT
from tests.support import category_tables, lesion_tables, nuclei_lists, patients, risk_tables
from tests.support.blocks import assert_drawn, every
from tests.support.findings import codes, places, refused
from tests.support.golden import CASES, described, name_of, placed
from tests.support.html_reader import read
from tests.support.sample_files import sample_files

IDS = scoring.challenge_ids()
HECKTOR_ROWS = [
    {"PatientID": f"P{i}", "T_stage": "T1", "N_stage": "N0", "Relapse": i % 2, "RFS": 10 + i}
    for i in range(8)
]
NUCLEI = nuclei_lists.numbered([[nuclei_lists.nucleus("tumor", 9 * i, 5)] for i in range(8)])
FILES = {
    "tricorder3": (lesion_tables.truth(), lesion_tables.predictions()),
    "melanoma": (
        risk_tables.truth_table(risk_tables.TRUTH),
        risk_tables.score_table(risk_tables.SCORES),
    ),
    "isic": category_tables.random_pair(10),
    "puma": (nuclei_lists.files(NUCLEI), nuclei_lists.files(NUCLEI)),
    "hecktor2026": (patients.table(HECKTOR_ROWS), patients.table(HECKTOR_ROWS)),
}
"""A truth and a submission of challenges; of others the first sample is taken."""
FILES |= {name: sample_files(name) for name in IDS if name not in FILES}
TABLES = [name for name in IDS if isinstance(FILES[name][0], bytes)]
STATISTICS = {"resamples": -1, "seed": -1, "interval": "normal"}


def scored(challenge_id: str, **options) -> scoring.ScoreCard:
    challenge = scoring.load_challenge(challenge_id)
    truth, submission = FILES[challenge_id]
    cases = challenge.read_truth(truth, "t.csv")
    return challenge.score(cases, challenge.read_predictions(submission, cases, "p.csv"), **options)


def of_golden(folder) -> scoring.ScoreCard:
    """The card of a golden case."""
    _, challenge_id, *given = placed(described(folder)["arguments"], folder)
    pairs = {flag[2:].replace("-", "_"): value for flag, value in zip(given[::2], given[1::2], strict=True)}
    challenge = scoring.load_challenge(challenge_id)
    kinds = {option.name: option.type for option in challenge.options} | {"resamples": int, "seed": int}
    files = {name: pairs.pop(name, None) for name in ("truth", "predictions", "model")}
    options = {name: kinds.get(name, str)(value) for name, value in pairs.items()}
    truth = challenge.read_truth(files["truth"])
    if files["model"]:
        submission = challenge.predict(files["model"], truth)
    else:
        submission = challenge.read_predictions(
            files["predictions"], truth, **challenge.needed("predictions", options)
        )
    return challenge.score(truth, submission, **options | {"resamples": 20})


def in_turn(folder):
    return pytest.param(
        folder,
        id=name_of(folder),
        marks=pytest.mark.slow if "--model" in described(folder)["arguments"] else (),
    )


SCORED = [f for f in CASES if described(f)["arguments"][0] == "score" and described(f)["exit"] == 0]


@pytest.mark.parametrize("folder", list(map(in_turn, SCORED)))
def test_views_of_a_golden_case_are_drawn_and_reported(folder):
    card = of_golden(folder)
    shown = scoring.load_challenge(card.challenge).display.views(card)
    assert_drawn(shown)
    report = read(html.html(card))
    assert report.balanced
    written = " ".join(report.words)
    questions = {
        block.build(LIGHT).layout.meta["question"] if isinstance(block, Figure) else block.question
        for block in every(shown)
        if isinstance(block, (Figure, Table, Text, Facts))
    }
    assert [question for question in questions if question not in written] == []


@pytest.mark.parametrize("challenge_id", IDS)
def test_the_same_seed_gives_the_same_bytes_and_another_does_not(challenge_id):
    first, again, other = (
        scored(challenge_id, resamples=30, seed=seed, interval="percentile") for seed in (1, 1, 2)
    )
    assert again.to_json() == first.to_json()
    assert other.to_json() != first.to_json()


@pytest.mark.parametrize("challenge_id", IDS)
def test_wrong_options_are_all_named_at_once(challenge_id):
    options = scoring.load_challenge(challenge_id).options_of("score")
    wrong = {option.name: "x" for option in options if option.values}
    wrong |= {option.name: float("nan") for option in options if option.type is float}
    problems = refused(scored, challenge_id, **wrong, **STATISTICS).problems
    flags = {"--" + name.replace("_", "-") for name in {**wrong, **STATISTICS}}
    assert {p.where for p in problems if p.code == "bad-option"} == flags
    named = {p.where for p in scoring.load_challenge(challenge_id).check_options(wrong)}
    assert named == flags - {"--" + name for name in STATISTICS}


NUMBERS = [(i, o.name) for i in IDS for o in scoring.load_challenge(i).options_of("score") if o.type is float]


@pytest.mark.parametrize(("challenge_id", "name"), NUMBERS)
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_refused(challenge_id, name, number):
    problems = refused(scored, challenge_id, resamples=0, **{name: number}).problems
    assert places(problems) == [("bad-option", "--" + name.replace("_", "-"))]


@pytest.mark.parametrize("challenge_id", IDS)
def test_a_unit_that_no_column_names_is_refused(challenge_id):
    problems = refused(scored, challenge_id, group="hospital").problems
    assert places(problems) == [("bad-option", "--group")]


def lines_of(data: bytes) -> list[str]:
    return data.decode().splitlines()


def joined(lines) -> bytes:
    return "\n".join([*lines, ""]).encode()


FAULTS = {
    "empty file": (lambda lines: b"", "unreadable-file", ""),
    "a header alone": (lambda lines: joined(lines[:1]), "unreadable-file", ""),
    "a picture": (lambda lines: b"\x89PNG\r\n\x1a\n", "unreadable-file", ""),
    "no column of cases": (
        lambda lines: joined(["unheard-of" + lines[0][lines[0].index(",") :], *lines[1:]]),
        "missing-column",
        ":1",
    ),
    "a column twice": (
        lambda lines: joined(f"{line},{line.rsplit(',', 1)[1]}" for line in lines),
        "duplicate-column",
        ":1",
    ),
    "a case twice": (lambda lines: joined([*lines, lines[1]]), "duplicate-case", ":{after}"),
    "a row too long": (lambda lines: joined([lines[0], lines[1] + ",9", *lines[2:]]), "row-length", ":2"),
    "a row too short": (
        lambda lines: joined([lines[0], lines[1].rsplit(",", 1)[0], *lines[2:]]),
        "row-length",
        ":2",
    ),
}
"""Fault of a table -> (the table with it, the code, where it is found behind the name)."""


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("challenge_id", TABLES)
def test_a_fault_of_a_table_is_found_where_it_is_and_nothing_else_is_said(challenge_id, fault):
    challenge = scoring.load_challenge(challenge_id)
    truth, submission = FILES[challenge_id]
    spoil, code, where = FAULTS[fault]
    cases = challenge.read_truth(truth, "t.csv")
    for name, data, call in (
        ("t.csv", truth, lambda spoiled: challenge.read_truth(spoiled, "t.csv")),
        ("p.csv", submission, lambda spoiled: challenge.read_predictions(spoiled, cases, "p.csv")),
    ):
        lines = lines_of(data)
        problems = refused(call, spoil(lines)).problems
        assert places(problems) == [(code, name + where.format(after=len(lines) + 1))]


@pytest.mark.parametrize("challenge_id", TABLES)
def test_rows_of_other_cases_are_refused_alone_and_said_beside_others(challenge_id):
    challenge = scoring.load_challenge(challenge_id)
    truth, submission = FILES[challenge_id]
    cases, (header, *rows) = challenge.read_truth(truth, "t.csv"), lines_of(submission)
    others = [f"other{i}{row[row.index(',') :]}" for i, row in enumerate(rows)]
    problems = refused(challenge.read_predictions, joined([header, *others]), cases, "p.csv").problems
    assert places(problems) == [("no-common-case", "p.csv")]
    try:
        said = challenge.read_predictions(joined([header, *rows, others[0]]), cases, "p.csv").findings
    except scoring.InputRefused as refusal:
        said = refusal.problems
    assert {"extra-case", "unknown-patient"} & set(codes(said))


WITH_MODELS = [name for name in IDS if scoring.load_challenge(name).model]


@pytest.mark.slow
@pytest.mark.parametrize("challenge_id", WITH_MODELS)
def test_the_written_table_of_a_model_scores_as_the_model(challenge_id):
    challenge = scoring.load_challenge(challenge_id)
    sample = next(iter(samples.test_sets(challenge_id).values()))
    model = next(iter(samples.models(challenge_id).values()))
    whole = challenge.read_truth(sample.path)
    truth = of_cases(whole, np.arange(0, len(whole), 4))
    predicted = challenge.predict(model.path, truth)
    written = challenge.prediction_table(truth, predicted)
    data = written.encode() if isinstance(written, str) else written
    read_again = challenge.read_predictions(data, truth, f"p.{challenge.model.suffix}")
    size = {"model_size_mib": predicted.model["size_mib"]} if challenge_id == "tricorder3" else {}
    of_model, of_file = (
        challenge.score(truth, predictions, resamples=20, **options).as_dict()
        for predictions, options in ((predicted, {}), (read_again, size))
    )
    assert set(of_model) - set(of_file) == {"model"}
    for key in set(of_file) - {"findings", "provenance"}:
        assert of_file[key] == of_model[key], key
