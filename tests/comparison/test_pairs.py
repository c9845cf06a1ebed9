"""Pairs of teams on any metric, their likeness, and cards that do not belong together."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

import scoring
from scoring.common.findings import InputRefused
from scoring.comparison.compare import compare_cards
from scoring.statistics.mcnemar_delong_wilcoxon import delong, holm, mcnemar
from tests.support import risk_tables
from tests.support.teams import LESIONS, lesion_outputs, lesion_teams, lesion_truth, outputs_table, risk_teams

SKILLS = (0.6, 1.2, 2)


def labels(found, team: str) -> tuple[np.ndarray, np.ndarray]:
    rows = found.cards[team].cases
    return np.array([row["truth"] for row in rows]), np.array([row["predicted"] for row in rows])


@pytest.mark.parametrize(
    ("metric", "test"),
    [
        ("accuracy", "McNemar, exact"),
        ("recall/MEL", "McNemar, exact"),
        ("auc/MEL", "DeLong"),
        ("weighted_f1", "paired bootstrap t"),
    ],
)
def test_pairs_of_a_metric_have_its_test(metric, test):
    chosen = {"resamples": 80, "pairs_test": "bootstrap"}
    found = lesion_teams(1, 120, SKILLS, **chosen, pairs_metric=metric).as_dict()
    assert (found["pairs_metric"], found["pairs_test"]) == (metric, test)
    compared = lesion_teams(1, 120, SKILLS, **chosen)
    values = {}
    for team, card in compared.cards.items():
        measure, _, name = metric.partition("/")
        values[team] = card.per_class[name][measure] if name else card.metrics[metric]
    raw = []
    for pair in found["pairs"]:
        a, b = pair["a"], pair["b"]
        assert pair["difference"] == pytest.approx(values[a] - values[b])
        drawn = np.round(
            np.subtract(*(compared.cards[team].arrays[f"{metric}_replicates"] for team in (a, b))), 12
        )
        assert pair["interval"] == pytest.approx(np.nanquantile(drawn, [0.025, 0.975]).tolist())
        assert pair["standard_error"] == pytest.approx(np.nanstd(drawn, ddof=1))
        raw.append(by_hand(compared, metric, a, b, pair))
        assert pair["p_value"] == pytest.approx(raw[-1])
    assert [pair["p_adjusted"] for pair in found["pairs"]] == pytest.approx(holm(raw).tolist())
    scores = compared.as_dict()
    assert [team["rank_interval"] for team in found["teams"]] == [
        team["rank_interval"] for team in scores["teams"]
    ]


def by_hand(found, metric: str, a: str, b: str, pair: dict) -> float:
    (truth, of_a), (_, of_b) = labels(found, a), labels(found, b)
    if metric == "weighted_f1":
        return 2 * scipy.stats.t.sf(abs(pair["difference"]) / pair["standard_error"], 119)
    if metric == "auc/MEL":
        outputs = [np.array([row["outputs"][7] for row in found.cards[team].cases]) for team in (a, b)]
        return delong(*outputs, truth == "MEL")
    kept = truth == "MEL" if metric == "recall/MEL" else np.ones(len(truth), bool)
    return mcnemar((of_a == truth)[kept], (of_b == truth)[kept])


@pytest.mark.parametrize(("metric", "test"), [("recall", mcnemar), ("specificity", mcnemar), ("auc", delong)])
def test_pairs_of_melanoma(metric, test):
    found = risk_teams(2, 90, (0.3, 0.5), resamples=50, pairs_metric=metric)
    cards = list(found.cards.values())
    positive = cards[0].arrays["truth"] == 1
    if metric == "auc":
        expected = test(*(card.arrays["outputs"][:, 0] for card in cards), positive)
    else:
        kept = positive if metric == "recall" else ~positive
        expected = test(
            *((card.arrays["outputs"][:, 0] > 0.5)[kept] == (metric == "recall") for card in cards)
        )
    assert found.as_dict()["pairs"][0]["p_value"] == pytest.approx(expected)


def test_units_of_several_cases_are_tested_by_the_bootstrap_where_it_is_chosen():
    def of(**options) -> tuple[str | None, bool, bool]:
        found = lesion_teams(
            3, 180, SKILLS, resamples=50, group="age", pairs_metric="accuracy", **options
        ).as_dict()
        pair = found["pairs"][0]
        return found["pairs_test"], pair["p_value"] is None, pair["interval"] is None

    assert of(pairs_test="bootstrap") == ("paired bootstrap t", False, False)
    assert of() == (None, True, False)


def test_a_test_of_pairs_that_there_is_not_is_refused():
    with pytest.raises(InputRefused) as refusal:
        lesion_teams(3, 30, SKILLS, resamples=50, pairs_test="wald")
    assert [(p.code, p.where) for p in refusal.value.problems] == [("bad-option", "--pairs-test")]
    assert "auto, swap, bootstrap" in refusal.value.problems[0].message


def test_few_units_have_only_the_tests_that_hold_with_them():
    def of(n: int, metric: str) -> tuple[str | None, bool]:
        found = lesion_teams(3, n, SKILLS, resamples=50, pairs_metric=metric).as_dict()
        return found["pairs_test"], found["pairs"][0]["p_value"] is not None

    assert of(30, "accuracy") == ("McNemar, exact", True)
    assert of(30, "balanced_accuracy") == of(19, "accuracy") == (None, False)
    assert of(30, "score") == ("swap test", True)
    assert of(19, "score") == (None, False)


def test_without_replicates_pairs_differ_only():
    found = lesion_teams(3, 60, SKILLS, resamples=0, pairs_metric="accuracy").as_dict()
    assert {pair["p_value"] for pair in found["pairs"]} == {None}
    assert found["pairs"][0]["difference"] == pytest.approx(
        found["teams"][0]["metrics"]["accuracy"] - found["teams"][1]["metrics"]["accuracy"]
    )


@pytest.mark.parametrize("resamples", [0, 20])
@pytest.mark.parametrize("metric", ["nonsense", "auc/nobody", ""])
def test_an_unknown_metric_is_refused_with_the_known_ones(metric, resamples):
    with pytest.raises(InputRefused) as refused:
        lesion_teams(3, 40, SKILLS, resamples=resamples, pairs_metric=metric)
    assert [p.code for p in refused.value.problems] == ["bad-option"]
    assert "score" in refused.value.problems[0].message


def copied(share: float, **options):
    """A team, and another that differs in so many of its cases, and an unlike third."""
    random = np.random.default_rng(4)
    truth = random.integers(0, 11, 200)
    first, third = (lesion_outputs(random, truth, 1.5) for _ in range(2))
    second = np.where((random.random(200) < share)[:, None], lesion_outputs(random, truth, 1.5), first)
    cases = LESIONS.read_truth(lesion_truth(truth), name="t.csv")
    sent = {
        name: LESIONS.read_predictions(outputs_table(o), cases, name=name)
        for name, o in zip("abc", (first, second, third), strict=True)
    }
    return scoring.compare(LESIONS, cases, sent, resamples=0, **options)


def test_near_identical_submissions_are_noted():
    found = copied(0.03)
    told = [f for f in found.findings if f.code == "near-identical-submissions"]
    assert [(f.level, set(f.where.split(", "))) for f in told] == [("note", {"a", "b"})]
    pair = next(p for p in found.as_dict()["pairs"] if {p["a"], p["b"]} == {"a", "b"})
    assert 0.95 <= pair["agreement_beyond_accuracy"] < 1
    assert 0.9 <= pair["kappa_of_errors"] <= 1
    assert copied(0.5).findings == ()


def test_identical_ones_are_not_noted_twice():
    assert [f.code for f in copied(0).findings] == ["identical-submissions"]


def test_two_classes_have_no_choice_of_a_wrong_label():
    found = risk_teams(5, 60, (0.4, 0.5), resamples=0)
    assert {one.kappa_of_errors for one in found.alike.values()} == {None}


def test_cards_of_another_test_set_or_draw_are_refused_by_team():
    found = risk_teams(6, 50, (0.3, 0.4, 0.5), resamples=20)
    cards = dict(found.cards)
    others = risk_teams(7, 50, (0.3, 0.4), resamples=30).cards
    again = compare_cards(risk_tables.CHALLENGE, cards)
    assert again.to_json() == found.to_json()
    with pytest.raises(InputRefused) as refused:
        compare_cards(risk_tables.CHALLENGE, {**cards, "x": others["a"]})
    assert [(p.code, p.where) for p in refused.value.problems] == [
        ("different-test-set", "x"),
        ("different-replicates", "x"),
    ]
    source = cards["b"].provenance
    strict = replace(
        cards["b"],
        provenance={**source, "options": {**source["options"], "interval": "bca", "missing": "wrong"}},
    )
    with pytest.raises(InputRefused) as refused:
        compare_cards(risk_tables.CHALLENGE, {**cards, "b": strict})
    assert {(p.code, p.where, "interval" in p.message) for p in refused.value.problems} == {
        ("different-options", "b", True)
    }
    for empty in ({}, {"": cards["a"]}):
        with pytest.raises(InputRefused):
            compare_cards(risk_tables.CHALLENGE, empty)


def test_a_team_without_a_score_takes_no_part():
    found = risk_teams(8, 50, (0.3, 0.4, 0.5), resamples=20)
    cards = {**found.cards, "a": replace(found.cards["a"], score=None)}
    compared = compare_cards(risk_tables.CHALLENGE, cards)
    assert [team["rank"] for team in compared.as_dict()["teams"]] == [1, 2, 3]
    assert list(compared.cards)[-1] == "a"
    assert all("a" not in (pair["a"], pair["b"]) for pair in compared.as_dict()["pairs"])
    assert json.loads(compared.to_json())["teams"][2]["share_of_resamples_won"] is None
