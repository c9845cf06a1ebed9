"""Shows scorecards and comparisons as short tables on a terminal."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scoring.challenges import load_challenge
from scoring.cli.output import aligned
from scoring.common.direction_and_range import SCORE, Quantity
from scoring.common.findings import lines
from scoring.comparison import score_units as scales
from scoring.comparison import summary_text
from scoring.comparison.compare import Comparison
from scoring.comparison.pairs import PairDifferences
from scoring.comparison.team_facts import UNKNOWN
from scoring.comparison.team_views import order_columns
from scoring.core.scorecard import ScoreCard


def scorecard_table(card: ScoreCard) -> str:
    """Return the scorecard as a short table for a terminal."""

    def value(x: Any) -> str:
        return "-" if x is None or x != x else f"{x:.4f}" if isinstance(x, float) else str(x)

    def row(name: str, x: Any, interval: Sequence[float] | None) -> str:
        return f"{name:<{names}}{value(x):>12}" + (
            f"   {interval[0]:.4f} to {interval[1]:.4f}" if interval else ""
        )

    names, width = (
        max(28, 2 + max(map(len, card.metrics), default=0)),
        max(map(len, card.per_class), default=0) + 2,
    )

    def class_table(columns: Sequence[str], names: Sequence[str]) -> list[str]:
        head = " " * width + "".join(f"{c:>{max(11, len(c) + 2)}}" for c in columns)
        rows = (
            f"{name:<{width}}"
            + "".join(f"{value(card.per_class[name][c]):>{max(11, len(c) + 2)}}" for c in columns)
            for name in names
        )
        return [head, *rows, ""]

    challenge, part = load_challenge(card.challenge), card.more.get("submitted_part")
    alone = f"{part} {card.metrics[part]!r}, other parts not submitted; " if part else ""
    return "\n".join(
        [
            f"{card.challenge}: {alone}score {'undefined' if card.score is None else repr(card.score)}, "
            f"n = {card.n_cases}",
            f"{card.official.badge()[0].upper()}{card.official.badge()[1:]}.",
            *([f"Incomplete: {card.incomplete}."] if card.incomplete else []),
            card.official.words(challenge.words.official_source),
            "",
            *([row(part, card.metrics[part], card.intervals.get(part))] if part else []),
            _score_row(card, row),
            *(row(name, x, card.intervals.get(name)) for name, x in card.metrics.items()),
            "",
            *(line for columns, names in _alike(card.per_class) for line in class_table(columns, names)),
            _method(card),
        ]
    )


def _score_row(card: ScoreCard, row: Callable[[str, Any, Sequence[float] | None], str]) -> str:
    """Return the row of the score in the same unit as on the page; some challenges use points out of 100.

    Args:
        row: Writes a name, a value and its interval.
    """
    scoring, interval = load_challenge(card.challenge).scoring, card.intervals.get("score")
    if not scoring.as_points or card.score is None:
        return row(f"score ({_range(scoring.quantity())})", card.score, interval)
    ends = f"   {100 * interval[0]:.2f} to {100 * interval[1]:.2f}" if interval else ""
    return row("score (points of 100)", f"{100 * card.score:.2f}", None) + ends


def score_header(quantity: Quantity) -> str:
    """Return the heading of a column of scores, with a note if lower is better."""
    return "score" if quantity.better == "higher" else "score (lower is better)"


def _range(quantity: Quantity) -> str:
    low, high = quantity.range
    lower = "" if quantity.better == "higher" else ", lower is better"
    return f"{low:g}..{high:g}{lower}" if quantity.is_bounded else f"{quantity.words}{lower}"


def _method(card: ScoreCard) -> str:
    """Return how the intervals were computed, or why there are none."""
    source = card.provenance
    units = summary_text.units(source)
    if not card.intervals:
        return "No intervals (--resamples 0)."
    if source["interval"] is None:
        return f"No intervals: {units} {'is' if source['n_units'] == 1 else 'are'} too few."
    return (
        f"95% intervals: {source['interval']}, {source['resamples']} replicates of {units}, "
        f"seed {source['seed']}"
    )


SHOWN_OF_CLASSES = (
    "support",
    "predicted",
    "f1",
    "precision",
    "recall",
    "auc",
    "n_patients",
    "mean_dice",
    "dice_agg",
    "pq",
)


def _alike(per_class: Mapping[str, Mapping[str, Any]]) -> list[tuple[list[str], list[str]]]:
    """Return groups of classes that have the same measures, each with these measures. Only measures for the
    terminal are used; if a class has none of them, all its measures are used."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, entry in per_class.items():
        measures = [c for c in SHOWN_OF_CLASSES if c in entry]
        measures = measures or [c for c in entry if not c.endswith("_interval")]
        groups.setdefault(tuple(measures), []).append(name)
    return [(list(columns), names) for columns, names in groups.items()]


def comparison_table(result: Comparison) -> str:
    """Return a comparison as a short table for a terminal, best first."""
    order = order_columns(result)
    rows = [["rank", "team", score_header(result.quantity()), "95% interval", "rank interval"]]
    rows[0] += [column.label for column in order]
    level = summary_text.tied(result)
    for team in map(result.team, result.cards):
        span = "{:.4f} to {:.4f}".format(*team["interval"]) if team["interval"] else "-"
        number = "-" if team["score"] is None else f"{team['score']:.6f}"
        places = summary_text.places(team["rank_interval"]) or "-"
        tie = f", {summary_text.tie(result)}" if len(level) > 1 and team["team"] in level else ""
        own = [column.get(team) for column in order if column.get]
        own = [f"{value:.2f}" if isinstance(value, float) else value for value in own]
        rows.append([str(team["rank"]), team["team"], number, span, f"{places}{tie}", *own])
    lines = aligned(rows, right=(0, 2))
    lines += [f"{name}: {card.incomplete}." for name, card in result.cards.items() if card.incomplete]
    return "\n".join([*lines, *_facts(result), *_chance(result), *_excluded(result), *_pairs(result.pairs)])


def _chance(result: Comparison) -> list[str]:
    """Return lines that say who leads, and what chance means for the ranks."""
    lines = summary_text.sentences(result, scales.of(load_challenge(result.challenge)))
    return ["", *lines] if lines else []


def _facts(result: Comparison) -> list[str]:
    """Return one line for each known fact about a team, and a line with the teams whose model size is
    assumed."""
    assumption = summary_text.assumed(result)
    rows = (
        ["", f"{assumption[0].upper()}{assumption[1:]}. {summary_text.assumption(result)}"]
        if assumption
        else []
    )
    known = {name: facts for name, facts in result.facts.items() if facts != UNKNOWN}
    if known:
        table = [["team", "MiB", "institution, method, licence"]]
        for name, facts in known.items():
            size = "-" if facts.size_mib is None else f"{facts.size_mib:.2f}"
            texts = [text or "-" for text in (facts.institution, facts.method, facts.licence)]
            table.append([name, size, ", ".join(texts)])
        rows += ["", *aligned(table, right=(1,))]
    return rows


def _excluded(result: Comparison) -> list[str]:
    """Return the submissions that were refused, with their problems."""
    if not result.excluded:
        return []
    entries = (entry for team in result.excluded for entry in team.of_team(team.problems))
    return [
        "",
        f"Refused, so not ranked ({len(result.excluded)}):",
        *(f"  {line}" for line in lines(entries)),
    ]


def _pairs(pairs: PairDifferences) -> list[str]:
    """Return one line for each pair of teams, compared by another metric than the score."""
    if pairs.metric == SCORE:
        return []
    how = f"(test: {pairs.test}), p adjusted for all pairs" if pairs.test else "(too few units for a test)"
    rows = [["", "team", "another team", "difference", "p"]]
    for pair in pairs.of:
        p = "-" if pair.p_adjusted is None else f"{pair.p_adjusted:.4f}"
        names = (pairs.teams[pair.a], pairs.teams[pair.b])
        rows.append(["", *names, f"{pair.difference:+.4f}", p])
    return ["", f"Pairs by {pairs.metric} {how}:", *aligned(rows, right=(3,))]
