"""Checks that a bundle's scorecards agree with its rows, with the challenge, and within themselves."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.direction_and_range import SCORE
from scoring.core.challenge import Challenge
from scoring.core.scorecard import ScoreCard
from scoring.inputs.team_entries import MODEL
from scoring.statistics import intervals
from scoring.statistics.interval_options import StatisticsOptions
from scoring.statistics.replicates import array_name, left_out_name

ROUNDING = 1e-9
"""Tolerated difference of a number between two types of processor."""
OF_PARTS = 1e-5
"""Tolerated difference of a score and the sum of its parts, because some challenges round."""
OF_CASES = {"units", "truth", "predicted", "outputs", "score_weights", "rank_scores"}
"""Arrays with one entry per case."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class ScoredRow:
    """A result in a manifest, together with its board, test set and submission."""

    scoring: Row
    board: Row
    test_set: Row
    submission: Row


def cases_digest(card: ScoreCard) -> str:
    """Return a digest of the cases and truth in a scorecard. All scorecards of one test set have the same
    digest."""
    digest = hashlib.sha256()
    for row in card.cases:
        digest.update(
            repr((row.get("case"), row.get("truth"), row.get("n_truth"))).encode("utf-8", "replace")
        )
    return digest.hexdigest()


def contradictions(card: ScoreCard, row: ScoredRow, challenge: Challenge[Any, Any]) -> Iterator[str]:
    """Yield a message for each contradiction between a scorecard and its row in the manifest. The messages
    end without a full stop."""
    if card.challenge != row.board["challenge"]:
        yield "a scorecard belongs to another challenge"
        return
    if not _same(card.score, row.scoring["score"], 0):
        yield "a score does not match its scorecard"
    ends: list[float | None] = [*(card.intervals.get("score") or (None, None))]
    if ends != [row.scoring["low"], row.scoring["high"]]:
        yield "an interval does not match its scorecard"
    malformed = list(_malformed(card))
    yield from malformed
    if malformed:
        return
    yield from _out_of_range(card, challenge)
    yield from _of_others(card, row)
    yield from _of_options(card, row, challenge)
    yield from _of_cases(card)
    yield from _of_intervals(card)
    parts = challenge.scoring.parts
    values = [card.metrics.get(name) for name in parts]
    if parts and card.score is not None and None not in values:
        total = sum(p.weight / 100 * v for p, v in zip(parts.values(), values, strict=True) if v is not None)
        if not _same(total, card.score, OF_PARTS):
            yield f"the score {card.score:g} of a scorecard is not {total:g}, the sum of its parts"


def same_values(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """Return whether values with the same name are equal, apart from rounding."""
    return all(_same(ours[name], theirs[name], ROUNDING) for name in ours.keys() & theirs.keys())


def same_replicates(ours: ScoreCard, theirs: ScoreCard) -> bool:
    """Return whether two scorecards have equal intervals and replicates, apart from rounding. True for
    scorecards of different versions or interval methods, which cannot be compared."""
    ways = [(card.provenance["version"], card.provenance.get("interval")) for card in (ours, theirs)]
    if ways[0] != ways[1]:
        return True
    if ours.intervals.keys() != theirs.intervals.keys():
        return False
    ends = [(ours.intervals[name], theirs.intervals[name]) for name in ours.intervals]
    if any((mine is None) != (other is None) for mine, other in ends):
        return False
    values = [(np.array(mine), np.array(other)) for mine, other in ends if mine is not None]
    drawn = [name for name in ours.arrays if name.endswith((array_name(""), left_out_name("")))]
    if missing := [name for name in drawn if name not in theirs.arrays]:
        return not missing
    values += [(ours.arrays[name], theirs.arrays[name]) for name in drawn]
    return all(
        mine.shape == other.shape and np.allclose(mine, other, ROUNDING, ROUNDING, equal_nan=True)
        for mine, other in values
    )


def same_details(ours: ScoreCard, theirs: ScoreCard) -> bool:
    """Return whether two scorecards have equal tables and arrays, apart from rounding. True for scorecards of
    different versions, which cannot be compared."""
    if ours.provenance["version"] != theirs.provenance["version"]:
        return True
    trees = [
        {key: value for key, value in card.as_dict().items() if key not in ("findings", "provenance")}
        for card in (ours, theirs)
    ]
    return _same_tree(*trees) and _same_tree(dict(ours.arrays), dict(theirs.arrays))


def _same_tree(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(_same_tree(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_same_tree, ours, theirs))
    if (
        isinstance(ours, np.ndarray)
        and isinstance(theirs, np.ndarray)
        and "f" in (ours.dtype.kind, theirs.dtype.kind)
    ):
        return ours.shape == theirs.shape and np.allclose(ours, theirs, ROUNDING, ROUNDING, equal_nan=True)
    if isinstance(ours, np.ndarray):
        return np.array_equal(ours, theirs)
    if isinstance(ours, float) and _is_number(theirs) and theirs is not None:
        return _same(ours, theirs, ROUNDING)
    return bool(ours == theirs)


def _same(ours: float | None, theirs: float | None, rounding: float) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return bool(abs(ours - theirs) <= rounding * max(1.0, abs(theirs)))


def _is_number(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and abs(value) < 1e300)


def _is_whole(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _malformed(card: ScoreCard) -> Iterator[str]:
    """Yield the values of a scorecard that have a wrong type."""
    if not _is_number(card.score):
        yield "the score of a scorecard is not a number"
    for name, value in card.metrics.items():
        if not _is_number(value):
            yield f"the metric {name[:40]} of a scorecard is not a number"
    for name, ends in card.intervals.items():
        is_pair = isinstance(ends, list) and len(ends) == 2 and None not in ends
        if ends is not None and not (is_pair and all(map(_is_number, ends))):
            yield f"the interval of {name[:40]} in a scorecard is not a pair of numbers"
    if not all(isinstance(values, dict) for values in (*card.per_class.values(), *card.cases)):
        yield "classes or cases of a scorecard are not objects"
    if not all(isinstance(text, str) for f in card.findings for text in (f.code, f.where, f.message)):
        yield "findings of a scorecard are not texts"
    matrix = card.confusion_matrix
    if matrix is not None:
        labels, counts = matrix.get("labels"), matrix.get("counts")
        if not isinstance(labels, list) or not _is_square(counts, len(labels)):
            yield "the confusion matrix of a scorecard is not a square of counts"
    known = card.provenance
    for name, kind in (("version", str), ("options", dict), ("seed", int), ("resamples", int)):
        if not isinstance(known.get(name), kind):
            yield f"the provenance of a scorecard has no {name}"
    if not isinstance(known.get("n_units"), int):
        yield "the provenance of a scorecard has no n_units"


def _is_square(counts: Any, size: int) -> bool:
    return (
        isinstance(counts, list)
        and len(counts) == size
        and all(isinstance(line, list) and len(line) == size for line in counts)
        and all(_is_whole(count, 0, 2**53) for line in counts for count in line)
    )


def _out_of_range(card: ScoreCard, challenge: Challenge[Any, Any]) -> Iterator[str]:
    """Yield scores and metrics that are impossible for the challenge, and intervals that end outside the
    possible range."""
    quantity = challenge.scoring.quantity
    for name, value in {**card.metrics, SCORE: card.score}.items():
        if value is not None and not quantity(name).holds(value, ROUNDING):
            yield f"{name[:40]} is {value:g} in a scorecard, which is not {quantity(name).words}"
    is_within = card.provenance.get("interval") in (intervals.WILSON_T, *intervals.ONCE_AUTO)
    for name, ends in card.intervals.items():
        if ends is None:
            continue
        low, high = ends
        if low > high:
            yield f"the interval of {name[:40]} in a scorecard goes from {low:g} down to {high:g}"
        elif is_within and quantity(name).is_bounded:
            of = quantity(name)
            if not (of.holds(low, ROUNDING) and of.holds(high, ROUNDING)):
                bounds = of.words.removeprefix("from ")
                yield f"the interval of {name[:40]} in a scorecard, {low:g} to {high:g}, goes beyond {bounds}"


def _of_others(card: ScoreCard, row: ScoredRow) -> Iterator[str]:
    """Yield contradictions if a scorecard names another submission or test set than its row."""
    known, submission = card.provenance, row.submission
    is_model = submission["name"].lower().endswith(MODEL)
    sent, other = ("model_sha256", "predictions_sha256")[:: 1 if is_model else -1]
    if known.get(sent) != submission["sha256"] or known.get(other) is not None:
        yield "a scorecard names another submission than the manifest"
    if known.get("truth_sha256") != row.test_set["sha256"]:
        yield "a scorecard names another test set than the manifest"
    if known["options"].get("metadata_sha256") != row.test_set.get("metadata_sha256"):
        yield "a scorecard names another metadata table than the manifest"


def _of_options(card: ScoreCard, row: ScoredRow, challenge: Challenge[Any, Any]) -> Iterator[str]:
    """Yield options of a scorecard that differ from those of its board and submission."""
    settings = StatisticsOptions(**row.board["options"]["statistics"])
    known = card.provenance
    for name in ("seed", "resamples"):
        if known[name] != getattr(settings, name):
            yield f"{name} is {known[name]} in a scorecard, but {getattr(settings, name)} on the board"
    chosen = {**row.board["options"]["score"], **row.submission["options"]}
    as_written = (o for o in challenge.options if o.values or o.type in (int, float, bool))
    values = {option.name: chosen.get(option.name, option.default) for option in as_written}
    wanted = {name: value for name, value in values.items() if value is not None}  # None: by the test set
    wanted |= {"group": settings.group, "interval": settings.interval}
    for name, value in wanted.items():
        if name in known["options"] and known["options"][name] != value:
            yield f"the option {name} of a scorecard does not match the board"
    kinds = [settings.method(known["n_units"])]
    if settings.interval == intervals.AUTO:
        kinds += intervals.ONCE_AUTO
    if known["n_units"] >= 1 and known.get("interval") not in kinds:
        yield "the kind of interval of a scorecard does not match the board"


def _of_cases(card: ScoreCard) -> Iterator[str]:
    """Yield differences between numbers of cases and lengths of arrays within a scorecard."""
    if card.is_bare:
        return
    if card.n_cases < 1 or card.n_cases != len(card.cases):
        yield f"a scorecard states {card.n_cases} cases but lists {len(card.cases)}"
        return
    if not _is_whole(card.provenance["n_units"], 1, card.n_cases):
        yield "the number of units of a scorecard is not between 1 and its number of cases"
    for name in OF_CASES & card.arrays.keys():
        if card.arrays[name].shape[:1] != (card.n_cases,):
            yield f"{name} of a scorecard has another length than its cases"
            return
    units = card.arrays.get("units")
    if units is not None and {*np.unique(units).tolist()} != {*range(card.provenance["n_units"])}:
        yield "a scorecard has another number of units than it states"
    columns = {len(column) if column.ndim else -1 for column in (card.matches or {}).values()}
    if len(columns) > 1:
        yield "the columns of a scorecard's matches have different lengths"


def _of_intervals(card: ScoreCard) -> Iterator[str]:
    """Yield wrong numbers of replicates, and intervals that contradict the values of the scorecard. An
    interval of `wilson_t` cannot be computed from the replicates alone. Without the truth, only check that it
    contains the value; with the truth, `rehearsal` computes it again."""
    known = card.provenance
    resamples, kind = known["resamples"], known.get("interval")
    if card.intervals and not resamples:
        yield "a scorecard has intervals without replicates"
    for name, array in card.arrays.items():
        if name.endswith(array_name("")) and (array.shape != (resamples,) or array.dtype.kind != "f"):
            yield f"{name[:60]} of a scorecard are not {resamples} numbers"
            return
    for name, ends in card.intervals.items():
        drawn, value = card.arrays.get(array_name(name)), {**card.metrics, SCORE: card.score}.get(name)
        if ends is None:
            continue
        low, high = ends
        noise = ROUNDING * max(1.0, abs(low), abs(high))
        if kind == intervals.WILSON_T and value is not None and not low - noise <= value <= high + noise:
            yield f"the interval of {name[:40]} in a scorecard, {low:g} to {high:g}, excludes {value:g}"
        if kind == intervals.PERCENTILE and drawn is not None:
            computed = intervals.percentile(drawn)
            if computed is None or not all(map(_same, ends, computed, (ROUNDING, ROUNDING))):
                yield f"the interval of {name[:40]} in a scorecard does not match its replicates"
