"""Pairs of teams: differences in any metric with p-values, and near-identical submissions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from scoring.common import direction_and_range
from scoring.common.direction_and_range import SCORE, Quantity
from scoring.common.findings import Finding, InputRefused, error, note
from scoring.core.comparison_spec import ComparisonSpec, Value
from scoring.core.scorecard import ScoreCard
from scoring.metrics import submission_agreement
from scoring.statistics import intervals, permutation_test, replicate_comparison
from scoring.statistics.interval_basis import QuantityName
from scoring.statistics.interval_options import DIGITS, FEW_UNITS, UNITS_OF_COMPARISON, StatisticsOptions
from scoring.statistics.intervals import AUTO, SHARE, WILSON_T, Range
from scoring.statistics.mcnemar_delong_wilcoxon import NAMES, PairedSample, p_value
from scoring.statistics.permutation_test import Exchange
from scoring.statistics.replicates import array_name, left_out_name
from scoring.statistics.team_pairs import Pairs, tested

TESTS = {"bootstrap": "paired bootstrap t", "swap": "swap test", None: None}
"""Test -> its name in results; None stands for too few units for a test."""
ALIKE, WITHOUT_SUMS = 0.95, "0.1.0"
LEAST_SHARED_ERRORS = 15
"""Minimum number of cases that two submissions both got wrong, for computing the kappa of their labels."""


@dataclass(frozen=True)
class PairsChoice:
    """Settings of the tests of pairs.

    Attributes:
        test: One of `replicate_comparison.PAIRS_TESTS`.
        submissions: Number of all submissions scored so far. The more submissions, the stricter the tests.
    """

    metric: str
    test: str = replicate_comparison.AUTO
    submissions: int = 0
    quantity: Quantity = direction_and_range.SHARE


@dataclass(frozen=True)
class PairDifferences:
    """Differences between teams in one quantity.

    Attributes:
        teams: Teams with a value, best first.
        of: The pairs; their `a` and `b` are positions in `teams`.
    """

    metric: str
    test: str | None
    teams: tuple[str, ...]
    of: Pairs


@dataclass(frozen=True)
class SubmissionSimilarity:
    """Similarity of two submissions.

    Attributes:
        kappa_of_errors: Cohen's kappa of the labels in the cases that both got wrong. None with two classes,
            because then there is only one wrong label.
        agreement_beyond_accuracy: 1 if both are right and wrong in the same cases; 0 if they agree as often
            as expected by chance.
    """

    kappa_of_errors: float | None
    agreement_beyond_accuracy: float | None
    n_both_wrong: int


def value_of(card: ScoreCard, metric: str) -> float | None:
    """Return a metric of a scorecard, from `metrics` or as MEASURE/CLASS from `per_class`. None if the metric
    is undefined or unknown."""
    measure, _, name = metric.partition("/")
    return card.per_class.get(name, {}).get(measure) if name else card.metrics.get(metric)


def test_problems(name: str) -> list[Finding]:
    """Return `bad-option` for an unknown test of pairs."""
    tests = replicate_comparison.PAIRS_TESTS
    if name in tests:
        return []
    return [error("bad-option", "--pairs-test", f"{name!r} is not one of {', '.join(tests)}.")]


def pairs_of(spec: ComparisonSpec, cards: Mapping[str, ScoreCard], chosen: PairsChoice) -> PairDifferences:
    """Return all pairs of teams that have a value of the metric, with their test results. `cards` must be in
    the order of ranks. The test depends on the kind of the metric, unless the bootstrap is chosen; the swap
    test (permutation test) exists only for the score. Raises InputRefused `bad-option` for a name that is not
    in `testable`."""
    metric, known = chosen.metric, testable(next(iter(cards.values())))
    if metric not in known:
        raise InputRefused(
            [error("bad-option", "--pairs-metric", f"{metric!r} is not one of {', '.join(known)}.")]
        )
    valued = {name: card for name, card in cards.items() if value_of(card, metric) is not None}
    drawn = [card.arrays[array_name(metric)] for card in valued.values() if array_name(metric) in card.arrays]
    replicates = np.stack(drawn) if drawn else np.empty((len(valued), 0))
    n_units = next(iter(cards.values())).provenance["n_units"]
    result = replicate_comparison.compare(
        np.array([value_of(card, metric) for card in valued.values()], float),
        replicate_comparison.Resampled(replicates, n_units, left_out_of(tuple(valued.values()), metric)),
        pairs_test=chosen.test,
        quantity=chosen.quantity,
    )
    pairs, test = result.pairs, TESTS[result.test]
    samples = _samples(spec, valued, metric, n_units)
    if samples and pairs and replicates.shape[1] and n_units >= UNITS_OF_COMPARISON:
        test = NAMES[type(samples[0])]
        both = zip(pairs.a, pairs.b, strict=True)
        pairs = tested(pairs, [p_value(samples[a], samples[b]) for a, b in both])
    return PairDifferences(metric, test, tuple(valued), pairs)


def left_out_of(cards: Sequence[ScoreCard], metric: str) -> np.ndarray | None:
    """Return a metric of all scorecards with each unit left out in turn [A, n]; None if one lacks it."""
    columns = [card.arrays.get(left_out_name(metric)) for card in cards]
    known = [values for values in columns if values is not None]
    return np.stack(known) if known and len(known) == len(columns) else None


def exchange_of(spec: ComparisonSpec, cards: Sequence[ScoreCard], name: str) -> tuple[Exchange | None, str]:
    """Return the input of the permutation test (None if unknown), and the name of the test.

    A scorecard has no sums for this test if a single unit decides whether the score is defined (no test then
    keeps its error rate). Then the input is None. It is also None for scorecards with 50 or more units from
    version 0.1.0, which stored no sums; these are tested with the bootstrap, as in version 0.1.0. `name` is
    the requested test, one of `replicate_comparison.PAIRS_TESTS`.
    """
    score = spec.score_of_sums(cards[0]) if cards and spec.score_of_sums else None
    if score is None:
        return None, name
    if any(permutation_test.UNIT_SUMS not in card.arrays for card in cards):
        source = cards[0].provenance
        earlier = source["version"] == WITHOUT_SUMS and source["n_units"] >= FEW_UNITS
        bootstrap = earlier and name == replicate_comparison.AUTO
        return None, replicate_comparison.BOOTSTRAP if bootstrap else name
    sums = np.stack([card.arrays[permutation_test.UNIT_SUMS] for card in cards])
    categories = spec.categories and spec.categories(cards[0])
    return Exchange(sums, score, cards[0].provenance["seed"], categories), name


def _samples(
    spec: ComparisonSpec, cards: Mapping[str, ScoreCard], metric: str, n_units: int
) -> list[PairedSample] | None:
    """Return the data of every team for the metric's own paired test. None if units contain several cases, or
    if the test does not fit a team."""
    if any(card.n_cases != n_units for card in cards.values()):
        return None
    samples = [spec.sample(card, metric) for card in cards.values()]
    known = [sample for sample in samples if sample is not None]
    return known if known and len(known) == len(samples) else None


def testable(card: ScoreCard) -> tuple[str, ...]:
    """Return the quantities in which pairs of teams can be tested: the score, metrics and MEASURE/CLASS. If
    the scorecard was resampled, only quantities with replicates are returned."""
    metrics = [name for name, value in card.metrics.items() if _is_number(value)]
    of_classes = [
        f"{measure}/{name}"
        for name, row in card.per_class.items()
        for measure, value in row.items()
        if _is_number(value)
    ]
    tested = [
        name
        for name in (*metrics, *of_classes)
        if not card.provenance["resamples"] or array_name(name) in card.arrays
    ]
    return (SCORE, *tested)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


@dataclass(frozen=True, eq=False)
class SubmissionSimilarities(Mapping[tuple[str, str], SubmissionSimilarity]):
    """Similarity of every two submissions, by the names of both teams in the order of the cards.

    Attributes:
        labels: Each team's class number for each counted case [A, n].
        wrong: Whether each of these labels is wrong [A, n].
        several: Whether there are more than two classes.
    """

    teams: Mapping[str, int]
    labels: np.ndarray
    wrong: np.ndarray
    several: bool

    @cached_property
    def beyond(self) -> np.ndarray:
        """For every two submissions [A, A]: how often both are right or both wrong on the same cases, beyond
        what their accuracies explain (`beyond_accuracy`)."""
        return submission_agreement.beyond_accuracy(~self.wrong)

    @cached_property
    def both_wrong(self) -> np.ndarray:
        """Number of cases that both teams got wrong, for every two teams [A, A]."""
        return _together(self.wrong)

    def __len__(self) -> int:
        return len(self.teams) * (len(self.teams) - 1) // 2

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return combinations(self.teams, 2)

    def __getitem__(self, names: tuple[str, str]) -> SubmissionSimilarity:
        i, j = (self.teams[name] for name in names)
        of_errors = np.nan
        if self.several:
            both = self.wrong[i] & self.wrong[j]
            of_errors = submission_agreement.kappa(self.labels[i, both], self.labels[j, both])
        return SubmissionSimilarity(
            _defined(of_errors), _defined(float(self.beyond[i, j])), int(self.both_wrong[i, j])
        )

    def near(self) -> Iterator[tuple[str, str]]:
        """Yield the pairs of teams that may agree by at least `ALIKE`. The share of equal labels is used,
        because kappa never exceeds it."""
        near = self.beyond >= ALIKE
        if self.several:
            classes = np.unique(self.labels)
            equal = sum(_together(self.wrong & (self.labels == label)) for label in classes)
            near |= (self.both_wrong >= LEAST_SHARED_ERRORS) & (equal >= (ALIKE - 1e-9) * self.both_wrong)
        names = list(self.teams)
        yield from ((names[i], names[j]) for i, j in np.argwhere(np.triu(near, 1)))


def _together(of_cases: np.ndarray) -> np.ndarray:
    """Return for every two submissions the number of cases in which a condition holds for both [A, A]. The
    argument says in which cases it holds for each submission [A, n]."""
    values = of_cases.astype(float)
    return np.asarray(values @ values.T)


def alike(cards: Mapping[str, ScoreCard]) -> Mapping[tuple[str, str], SubmissionSimilarity]:
    """Return how similar the predictions of each pair of teams are, in the order of the cards. Teams whose
    cards contain no predicted labels are left out."""
    labelled = {
        name: card.arrays for name, card in cards.items() if {"truth", "predicted"} <= card.arrays.keys()
    }
    if not labelled:
        return {}
    truth = next(iter(labelled.values()))["truth"]
    counts = truth >= 0
    labels = np.array([arrays["predicted"][counts] for arrays in labelled.values()])
    places = {name: place for place, name in enumerate(labelled)}
    return SubmissionSimilarities(places, labels, labels != truth[counts], len(np.unique(truth[counts])) > 2)


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value


def near_identical(
    similarities: Mapping[tuple[str, str], SubmissionSimilarity], identical: tuple[tuple[str, ...], ...]
) -> Iterator[Finding]:
    """Yield a note for every pair with nearly the same errors, except for identical submissions."""
    near = similarities.near() if isinstance(similarities, SubmissionSimilarities) else ()
    for a, b in near:
        if any(a in names and b in names for names in identical):
            continue
        similarity = similarities[a, b]
        kappa = similarity.kappa_of_errors if similarity.n_both_wrong >= LEAST_SHARED_ERRORS else None
        measures = [
            ("agreement beyond accuracy", similarity.agreement_beyond_accuracy),
            ("kappa of the labels that both got wrong", kappa),
        ]
        high = [f"{label} {value:.2f}" for label, value in measures if value is not None and value >= ALIKE]
        if high:
            message = f"{' and '.join(high)}: do these two share a model? A question, not an accusation."
            yield note("near-identical-submissions", f"{a}, {b}", message)


def as_entries(
    pairs: PairDifferences, likeness: Mapping[tuple[str, str], SubmissionSimilarity]
) -> Iterator[dict[str, Any]]:
    """Yield the entries of the list `pairs` in `comparison.json`."""
    for pair in pairs.of:
        names = {"a": pairs.teams[pair.a], "b": pairs.teams[pair.b]}
        yield {**vars(pair), **names, **_entry(likeness.get((names["a"], names["b"])))}


def _entry(pair: SubmissionSimilarity | None) -> dict[str, Any]:
    if pair:
        return {
            "kappa_of_errors": pair.kappa_of_errors,
            "agreement_beyond_accuracy": pair.agreement_beyond_accuracy,
        }
    return {}


def number(value: float | None) -> float:
    """Return a value as a float, NaN for None."""
    return np.nan if value is None else float(value)


def point(card: ScoreCard) -> Value:
    """Return a function from a metric's name to its value on the test set [1]."""
    return lambda name: np.array([number(value_of(card, name))])


def resampled(card: ScoreCard) -> Value:
    """Return a function from a metric's name to its replicates [B]. Constants, such as the size of a model,
    are repeated B times."""
    drawn = len(card.arrays["score_replicates"])

    def value(name: str) -> np.ndarray:
        replicates = card.arrays.get(array_name(name))
        return np.full(drawn, number(value_of(card, name))) if replicates is None else replicates

    return value


def has_replicates(card: ScoreCard) -> bool:
    """Return whether the card contains replicates."""
    return "score_replicates" in card.arrays


def without_each_unit(card: ScoreCard) -> Value | None:
    """Return a function from a metric's name to its values with each unit left out in turn [n]. None if the
    scorecard has no such values. Constants are repeated as in `resampled`."""
    whole = card.arrays.get(left_out_name(SCORE))
    if whole is None:
        return None
    n_units = len(whole)

    def value(name: str) -> np.ndarray:
        left_out = card.arrays.get(left_out_name(name))
        return np.full(n_units, number(value_of(card, name))) if left_out is None else left_out

    return value


@dataclass(frozen=True)
class Varied:
    """A quantity with its values on the replicates and with each unit left out in turn.

    Attributes:
        point: Value on the test set.
        drawn: Values on the replicates [B].
        left_out: Values with each unit left out in turn [n]; None if unknown.
        rests_on: Number of units that the quantity depends on; None: all.
    """

    point: float
    drawn: np.ndarray
    left_out: np.ndarray | None = None
    rests_on: int | None = None

    @classmethod
    def of(
        cls, card: ScoreCard, name: QuantityName, point: float, rests_on: int | None = None
    ) -> "Varied | None":
        """Return a quantity of a scorecard; None if it has no replicates."""
        drawn = card.arrays.get(array_name(name))
        if drawn is None:
            return None
        return cls(point, drawn, card.arrays.get(left_out_name(name)), rests_on)

    def interval(self, card: ScoreCard, limits: Range = SHARE) -> list[float] | None:
        """Return the 95 % interval by the card's method; None if undefined or if there are too few units."""
        options = StatisticsOptions(interval=card.provenance["options"].get("interval", AUTO))
        n_units = card.provenance["n_units"]
        return options.interval_of(self.point, self.drawn, self.left_out, n_units, limits)

    def __sub__(self, other: "Varied") -> "Varied":
        left_outs = None
        if self.left_out is not None and other.left_out is not None:
            left_outs = np.round(self.left_out - other.left_out, DIGITS)
        drawn, rests_on = np.round(self.drawn - other.drawn, DIGITS), self.rests_on
        return Varied(self.point - other.point, drawn, left_outs, rests_on)


def difference_interval(
    a: Varied | None, b: Varied | None, card: ScoreCard, limits: Range = SHARE
) -> list[float] | None:
    """Return the 95 % interval of a - b on the same replicates, by the card's method. None without
    replicates, if more than half of them are undefined, or with fewer than 20 units."""
    n_units = card.provenance["n_units"]
    if a is None or b is None or n_units < UNITS_OF_COMPARISON:
        return None
    both, options = a - b, StatisticsOptions(interval=card.provenance["options"].get("interval", AUTO))
    if options.method(n_units) != WILSON_T:
        return options.interval_of(both.point, both.drawn, both.left_out, n_units)
    if not np.isfinite(both.point) or np.isnan(both.drawn).mean() > 0.5:
        return None
    left_out = None if a.left_out is None or b.left_out is None else (a.left_out, b.left_out)
    estimate = intervals.estimated_difference(both.point, both.drawn, left_out, n_units, both.rests_on)
    return intervals.difference_t(estimate, limits[1] - limits[0])
