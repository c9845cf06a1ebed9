"""Test sets of which little can be said: each has a sentence, and no number that cannot be held."""

import itertools

import pytest

import scoring
from scoring.challenges.declared import library
from tests.challenges.declared.test_tables import BINARY, csv
from tests.support import category_tables, lesion_tables, nuclei_lists, patients, risk_tables
from tests.support.findings import codes, places


def lesions(labels, told):
    names, ids = ("NV", "MEL", "BKL"), [f"c{i}.jpg" for i in range(len(labels))]
    files = lesion_tables.truth, lesion_tables.predictions
    return [of(ids, [names[k] for k in kinds]) for of, kinds in zip(files, (labels, told), strict=True)]


def categories(labels, told):
    names, ids = ("NV", "MEL", "BCC"), [f"ISIC_{i}" for i in range(len(labels))]
    files = category_tables.truth, category_tables.predictions
    return [of(ids, [names[k] for k in kinds]) for of, kinds in zip(files, (labels, told), strict=True)]


def risks(labels, told):
    scores = [0.2 + 0.6 * (k == 1) for k in told]
    return risk_tables.truth_table([k == 1 for k in labels]), risk_tables.score_table(scores)


def nuclei(labels, told):
    places_of = itertools.count(5, 9)
    place = [next(places_of) for _ in labels]
    names = ("tumor", "stroma")
    return [
        nuclei_lists.files(
            nuclei_lists.numbered(
                [[nuclei_lists.nucleus(names[k], x, 5)] for k, x in zip(kinds, place, strict=True)]
            )
        )
        for kinds in (labels, told)
    ]


def stages(labels, told):
    def rows(kinds, times):
        return [
            {"PatientID": f"P{i}", "T_stage": f"T{k + 1}", "N_stage": f"N{k}", "Relapse": k, "RFS": time}
            for i, (k, time) in enumerate(zip(kinds, times, strict=True))
        ]

    observed = range(10, 10 + len(labels))
    predicted = [40 - 3 * k for k in told]
    return patients.table(rows(labels, observed)), patients.table(rows(told, predicted))


def declared(labels, told):
    truth = [f"{i},{'yes' if k else 'no'},a,{i}" for i, k in enumerate(labels)]
    predictions = [f"{i},{0.2 + 0.6 * k}" for i, k in enumerate(told)]
    return csv(["id,y,center,patient", *truth]), csv(["id,p", *predictions])


FILES = {
    "tricorder3": lesions,
    "isic": categories,
    "melanoma": risks,
    "puma": nuclei,
    "hecktor2026": stages,
    "declared": declared,
}
"""Truth and predictions of each challenge, of class numbers of 0 and 1 and those that are predicted."""
RARE = {
    "tricorder3": "MEL",
    "isic": "MEL",
    "melanoma": "positive",
    "puma": "stromal_cells",
    "hecktor2026": "T2",
    "declared": "yes",
}
ODD = [0, 1, 0] * 10
HALF_RIGHT = [*ODD[:-6], *(1 - k for k in ODD[-6:])]


def read(name, labels, told):
    made = library.of_text(BINARY.format("refuse"), "c.toml") if name == "declared" else name
    challenge = scoring.load_challenge(made) if isinstance(made, str) else made
    truth, _ = FILES[name](labels, labels)
    sent = [FILES[name](labels, kinds)[1] for kinds in told]
    suffix = ".csv" if isinstance(truth, bytes) else ""
    cases = challenge.read_truth(truth, f"t{suffix}")
    return challenge, cases, [challenge.read_predictions(one, cases, f"p{suffix}") for one in sent]


def card(name, labels, told):
    challenge, cases, (predictions,) = read(name, labels, [told])
    return challenge.score(cases, predictions, resamples=200)


def silent(found):
    """Metrics that have a value and no interval, and of which nothing is said."""
    values = {**found.metrics, "score": found.score}
    said = {where for _, where in places(found.findings)}
    return [
        metric
        for metric, interval in found.intervals.items()
        if interval is None and values[metric] is not None and metric not in said
    ]


def test_every_challenge_is_here():
    assert {*FILES} == {*scoring.challenge_ids(), "declared"}


@pytest.mark.parametrize("name", FILES)
def test_one_case_has_no_interval_and_says_so(name):
    found = card(name, [0], [0])
    assert [interval for interval in found.intervals.values() if interval] == []
    assert ("few-units", "intervals") in places(found.findings)


@pytest.mark.parametrize("name", FILES)
def test_a_class_with_one_case_and_what_is_undefined_without_it_have_no_interval_and_say_so(name):
    found = card(name, [0] * 20 + [1], [0] * 20 + [1])
    row = found.per_class.get(RARE[name], {})
    assert [key for key, value in row.items() if key.endswith("interval") and value] == []
    assert ("few-cases-in-class", RARE[name]) in places(found.findings)
    assert silent(found) == []


@pytest.mark.parametrize("name", FILES)
def test_outputs_that_are_all_equal_are_said_and_tell_no_team_apart_from_its_like(name):
    found = card(name, ODD, [0] * 30)
    assert {"constant-output", "constant-confidence"} & {*codes(found.findings)}
    low, high = found.intervals["score"] or (0.0, 1.0)
    assert found.score is None or low < found.score < high
    assert silent(found) == []


@pytest.mark.parametrize("name", FILES)
def test_copies_differ_by_nothing_and_say_so(name):
    challenge, cases, teams = read(name, ODD, [HALF_RIGHT, HALF_RIGHT, ODD])
    found = scoring.compare(challenge, cases, dict(zip("abc", teams, strict=True)), resamples=200)
    assert ("identical-submissions", "a, b") in places(found.findings)
    names = list(found.cards)
    copies = [p for p in found.result.pairs if {names[p.a], names[p.b]} == {"a", "b"}]
    nothing = [(0.0, [0.0, 0.0], False)] if found.cards["a"].score is not None else []
    assert [(p.difference, p.interval, p.separated) for p in copies] == nothing


@pytest.mark.parametrize("name", FILES)
def test_teams_are_told_apart_by_one_test_or_by_none_where_a_class_has_one_case(name):
    """From 50 units on the bootstrap was made where one unit decides whether the score is defined."""
    labels = [0] * 59 + [1]
    challenge, cases, teams = read(name, labels, [labels, [0, 1] * 30, [1, 0] * 30])
    found = scoring.compare(challenge, cases, dict(zip("abc", teams, strict=True)), resamples=200)
    hinges = name in ("melanoma", "declared", "hecktor2026")  # on one unit, or the score is undefined
    assert found.result.test == (None if hinges else "swap")
    assert {pair.separated for pair in found.result.pairs} <= ({None} if hinges else {True, False})
