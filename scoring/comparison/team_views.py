"""Headline of a comparison, and tables of its teams: facts, refused submissions, withdrawals."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any

from scoring.common.findings import grouped
from scoring.common.text import markdown, named
from scoring.comparison import summary_text
from scoring.comparison.comparability import Excluded
from scoring.comparison.compare import Comparison
from scoring.comparison.display import NAMED, SENTENCE, Displayed
from scoring.comparison.team_facts import LABELS, UNKNOWN
from scoring.core.views import Column, Fact, Headline, Table, Text


def headline(displayed: Displayed) -> Headline:
    """Return the headline: the leader, how certain the lead is, and the smallest difference that this test
    set can detect."""
    comparison, scale = displayed.comparison, displayed.scale
    first = comparison.scored[0]
    is_shared = list(comparison.ranks.values()).count(comparison.ranks[first]) > 1
    return Headline(
        Fact(
            "Ranked first (shared)" if is_shared else "Ranked first",
            first,
            scale.words(comparison.cards[first].score),
        ),
        _headline_facts(displayed),
        arithmetic=markdown(summary_text.leaders(comparison), SENTENCE),
        notes=_notes(comparison),
    )


def order_columns(comparison: Comparison) -> list[Column]:
    """Return columns with the values that order the teams, if the score does not order them: the deciding
    quantity, and metrics with their ranks. A row's team is under the key "team"."""
    own, order = comparison.own_ranking, comparison.spec.ranked_by
    if own is None or summary_text.by_score(comparison):
        return []

    def shown(metric: str, row: Mapping[str, Any]) -> str:
        value = comparison.cards[row["team"]].metrics[metric]
        ranks = own.of_teams[row["team"]].get("metric_ranks", {})
        rank = f" (rank {ranks[metric]:g})" if metric in ranks else ""
        return "undefined" if value is None or isnan(value) else f"{value:.3f}{rank}"

    return [
        Column("order", own.name, "number", 2, "lower", get=lambda row: own.values[row["team"]], width=84),
        *(
            Column(f"metric {name}", named(name), "written", get=partial(shown, name), width=110)
            for name in (order.metrics if order else ())
        ),
    ]


def _notes(comparison: Comparison) -> tuple[Text, ...]:
    """Return a sentence about the teams whose model size is assumed; empty if there are none."""
    assumed = summary_text.assumed(comparison)
    if not assumed:
        return ()
    sentence = f"{assumed[0].upper()}{assumed[1:]}. {summary_text.assumption(comparison)}"
    return (Text(markdown(sentence, SENTENCE), "caution"),)


def _headline_facts(displayed: Displayed) -> list[Fact]:
    comparison, scale, result = displayed.comparison, displayed.scale, displayed.comparison.result
    names, tied, facts = comparison.scored, summary_text.tied(comparison), []
    if tied:
        listed = f"{', '.join(map(markdown, tied[:NAMED]))}{' and more' * (len(tied) > NAMED)}"
        facts.append(
            Fact(
                summary_text.tie(comparison).capitalize(),
                f"{len(tied)} of {len(names)}",
                _apart(comparison, len(tied)),
                f"{listed}: "
                + (
                    "no team is shown to be better than any of these."
                    if summary_text.by_score(comparison)
                    else "the 95% range of ranks of each of these teams includes rank 1."
                ),
            )
        )
    if (lead := summary_text.lead(comparison, scale)) is not None:
        facts.append(Fact(f"Lead over {lead.over}", lead.value, lead.below, lead.explain))
    if result.resolvable_gap:
        facts.append(
            Fact(
                "Resolvable gap",
                scale.number(result.resolvable_gap["all_pairs"]),
                f"{scale.number(result.resolvable_gap['all_pairs_80'])} for 80% power",
                "True difference that is detected in half of all test sets like this one (50% power), and "
                "in four of five (80% power), if all pairs are compared. For a single pair chosen "
                f"beforehand: {scale.number(result.resolvable_gap['one_pair'])} and "
                f"{scale.number(result.resolvable_gap['one_pair_80'])}",
            )
        )
    if too_good := summary_text.optimism(comparison, scale):
        facts.append(
            Fact(
                f"Leader's score too {scale.too} by",
                f"about {too_good}",
                "likely",
                "The leader was chosen as the best on the same data. So the leader's score is likely too "
                f"{scale.too} by about this much",
            )
        )
    return facts


def _apart(comparison: Comparison, number: int) -> str:
    if not summary_text.by_score(comparison):
        return "by the 95% range of ranks"
    return "not told apart" if number > 1 else "no tie"


PAIRS_NAMED = 3
"""A cell names this number of pairs, then "and N more"."""


def facts(comparison: Comparison) -> Table:
    """Return the known facts about every team, such as institution and model size, best team first."""
    rows = [{"team": name, **comparison.facts.get(name, UNKNOWN).as_dict()} for name in comparison.cards]
    kinds = {"size_mib": Column("size_mib", LABELS["size_mib"], "number", 2)}
    columns = [kinds.get(fact, Column(fact, label)) for fact, label in LABELS.items()]
    return Table.of(
        "Who are the teams?",
        rows,
        (Column("team", "team"), *columns),
        "The organizer entered these facts; a dash means that a fact is unknown. "
        + (
            "Sizes count in the score."
            if comparison.spec.size
            else "The size of a model is not part of this score."
        ),
    )


def excluded(comparison: Comparison) -> Table:
    """Return a table of the refused submissions with their problems."""
    ranked = comparison.own_ranking is not None and comparison.own_ranking.name
    table = excluded_rows(comparison.excluded)
    more = " Ranks in the parts of the score are computed without these teams." if ranked else ""
    return replace(table, caption=table.caption + more)


def excluded_rows(entries: Iterable[Excluded]) -> Table:
    """Return a table of refused submissions with their problems. Problems of the same kind share a row."""
    rows = [(entry.team, group) for entry in entries for group in grouped(entry.problems)]
    columns = (
        Column("team", "submission", get=lambda row: row[0]),
        Column("where", "where", get=lambda row: row[1].where),
        Column("problem", "what is wrong and how to fix it", get=lambda row: row[1].message),
    )
    caption = "Refused submissions are not scored and have no rank."
    return Table.of("Which submissions were refused?", rows, columns, caption)


def containing(table: Table, wanted: str) -> Table:
    """Return the rows of a table in which a text cell contains the search text, ignoring case."""
    texts = [column.name for column in table.columns if column.kind == "text"]
    matching = [
        row
        for row in range(len(table.rows["team"]))
        if any(wanted.strip().lower() in str(table.rows[name][row] or "").lower() for name in texts)
    ]
    rows = {name: [values[row] for row in matching] for name, values in table.rows.items()}
    left_out = len(table.rows["team"]) - len(matching)
    caption = f"{len(matching)} of {len(matching) + left_out} teams. " if left_out else ""
    return replace(table, rows=rows, caption=caption + table.caption)


def withdrawals(comparison: Comparison) -> Table | None:
    """Return a table of what would happen if each team withdrew: who would be first, and which ranks would
    change. None if ranks do not depend on other teams."""
    if comparison.own_ranking is None or not comparison.own_ranking.more:
        return None
    gone = comparison.own_ranking.more["leave_one_team_out"]
    moved = [entry["without"] for entry in gone if entry["swapped"]]
    if moved:
        caption = (
            "Weighted ranks depend on which teams take part. If one of these teams withdraws, other teams "
            "change places, although their predictions stay the same: "
            f"{', '.join(map(markdown, moved[:PAIRS_NAMED]))}"
            f"{f' and {len(moved) - PAIRS_NAMED} more' if len(moved) > PAIRS_NAMED else ''}."
        )
    else:
        caption = "No single withdrawal would change the order of the other teams by weighted ranks."
    columns = (
        Column("without", "team that withdraws"),
        Column("first", "first by weighted ranks", get=lambda entry: ", ".join(entry["first"])),
        Column("swapped", "other teams that change places", get=lambda entry: _pairs(entry["swapped"])),
    )
    return Table.of("How do ranks change if a team withdraws?", gone, columns, caption, key="withdrawn")


def _pairs(pairs: list[list[str]]) -> str:
    named = "; ".join(f"{a} and {b}" for a, b in pairs[:PAIRS_NAMED])
    return f"{named}; {len(pairs) - PAIRS_NAMED} more" if len(pairs) > PAIRS_NAMED else named or "none"
