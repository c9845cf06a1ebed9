"""Tables about teams for page and report: facts, refused submissions, and what a withdrawal would change."""

from collections.abc import Iterable
from dataclasses import replace

from scoring.common.finding_groups import folded
from scoring.common.text import markdown
from scoring.comparison.compare import Comparison
from scoring.comparison.excluded import Excluded
from scoring.comparison.team_facts import LABELS, UNKNOWN
from scoring.core.views import Column, Table

PAIRS_NAMED = 3
"""Pairs that a cell names before it says "and N more"."""


def facts(found: Comparison) -> Table:
    """Return what is known of every team beside its predictions, best first."""
    told = [found.facts.get(name, UNKNOWN).as_dict() for name in found.cards]
    kinds = {"size_mib": Column("size_mib", LABELS["size_mib"], "number", 2)}
    columns = [kinds.get(fact, Column(fact, label)) for fact, label in LABELS.items()]
    return Table(
        "Who are the teams?",
        (Column("team", "team"), *columns),
        {"team": list(found.cards), **{fact: [one[fact] for one in told] for fact in LABELS}},
        "As the organizer gave them; a dash where nothing was given. "
        + (
            "Sizes count in the score."
            if found.spec.size
            else "The size of a model does not count in this score."
        ),
    )


def excluded(found: Comparison) -> Table:
    """Return the refused submissions with what is wrong with each."""
    ranked = found.own_ranking is not None and found.own_ranking.name
    table = excluded_rows(found.excluded)
    more = " Ranks in the parts are counted among the others alone." if ranked else ""
    return replace(table, caption=table.caption + more)


def excluded_rows(entries: Iterable[Excluded]) -> Table:
    """Return refused submissions with what is wrong; problems of a kind are one row, as on a page."""
    rows = [(one.team, fold) for one in entries for fold in folded(one.problems)]
    return Table(
        "Which submissions were refused?",
        (
            Column("team", "submission"),
            Column("where", "where"),
            Column("problem", "what is wrong and how to mend it"),
        ),
        {
            "team": [team for team, _ in rows],
            "where": [fold.where for _, fold in rows],
            "problem": [fold.message for _, fold in rows],
        },
        "They were not scored and have no rank.",
    )


def containing(table: Table, wanted: str) -> Table:
    """Return the rows of a table that contain the wanted text in any cell of text, whatever its case."""
    texts = [column.name for column in table.columns if column.kind == "text"]
    kept = [
        row
        for row in range(len(table.rows["team"]))
        if any(wanted.strip().lower() in str(table.rows[name][row] or "").lower() for name in texts)
    ]
    rows = {name: [values[row] for row in kept] for name, values in table.rows.items()}
    left_out = len(table.rows["team"]) - len(kept)
    words = f"{len(kept)} of {len(kept) + left_out} teams. " if left_out else ""
    return replace(table, rows=rows, caption=words + table.caption)


def withdrawals(found: Comparison) -> Table | None:
    """Return who would be first without each team and who would change places; None where places depend on
    nobody else."""
    if found.own_ranking is None:
        return None
    gone = found.own_ranking.more["leave_one_team_out"]
    moved = [entry["without"] for entry in gone if entry["swapped"]]
    if moved:
        words = (
            "Weighted ranks depend on who else takes part: without "
            f"{', '.join(map(markdown, moved[:PAIRS_NAMED]))}"
            f"{f' or {len(moved) - PAIRS_NAMED} other teams' if len(moved) > PAIRS_NAMED else ''}, others "
            "change places, although nobody's predictions do."
        )
    else:
        words = "No single withdrawal would change the order of the other teams by weighted ranks."
    return Table(
        "What if a team withdraws?",
        (
            Column("without", "without"),
            Column("first", "first by weighted ranks"),
            Column("swapped", "others that change places"),
        ),
        {
            "without": [entry["without"] for entry in gone],
            "first": [", ".join(entry["first"]) for entry in gone],
            "swapped": [_pairs(entry["swapped"]) for entry in gone],
        },
        words,
        key="withdrawn",
    )


def _pairs(pairs: list[list[str]]) -> str:
    named = "; ".join(f"{a} and {b}" for a, b in pairs[:PAIRS_NAMED])
    return f"{named}; {len(pairs) - PAIRS_NAMED} more" if len(pairs) > PAIRS_NAMED else named or "none"
