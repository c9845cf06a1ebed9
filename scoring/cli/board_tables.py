"""Shows boards as short tables on a terminal."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from scoring.boards.imported_leaderboards import ImportedBoard
from scoring.boards.ranking import final_ranking
from scoring.boards.ranking.board_ranking import BoardRanking, history_rows, rank_change
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.submissions.submitting import Receipt
from scoring.boards.truth_correction.correction_preview import Correction
from scoring.boards.views import FOR_ORGANIZERS, looks, own_order, which_counts
from scoring.cli.output import aligned
from scoring.cli.terminal_tables import score_header
from scoring.common.text import stopped
from scoring.comparison import score_units as scales
from scoring.comparison import summary_text

CASES = 5
"""A line names this number of cases, then "and N more"."""


def list_table(boards: Sequence[Mapping[str, Any]]) -> str:
    """Return a line for each board."""
    keys = ("id", "challenge", "teams", "submissions")
    rows = [
        [*(str(row[key]) for key in keys), f"{row['title']}{' (cannot be read)' * ('broken' in row)}"]
        for row in boards
    ]
    return "\n".join(aligned([["board", *keys[1:], "title"], *rows], right=(2, 3)))


def phase_lines(ranking: Sequence[Phase]) -> str:
    """Return a line for each phase: its name, its limits, and whether it is open now."""
    return "\n".join(f"Phase {phase.name} ({phase.state()}): {phase.words}" for phase in ranking)


def receipt_line(receipt: Receipt) -> str:
    """Return a line that tells the result of a submission."""
    again = " (submitted before)" if receipt.again else ""
    result = f"score {_score(receipt.score)}{_span(receipt.interval)}"
    return f"{receipt.team}: {result}, submission {receipt.id}{again}"


def board_table(ranking: BoardRanking) -> str:
    """Return the ranking and the history of a board."""
    value, row, compared = ranking.as_dict(), ranking.board.row, ranking.comparison
    version = f"version {ranking.board.test_set.number} of {row.version} of the test set"
    lines = [f"{row.title} ({row.id}, {row.challenge}), {version}. The ranking uses {which_counts(ranking)}."]
    if ranking.split is not None and ranking.hidden is not None:
        lines.append(FOR_ORGANIZERS)
    lines += final_ranking.since(ranking)
    if ranking.phase is not None:
        lines.append(f"The ranking uses only submissions of the phase {ranking.phase}.")
    lines += [phase_lines(ranking.phases), ""] if ranking.phases else [""]
    own, level = (own_order(ranking), summary_text.tied(compared)) if compared else (None, ())
    by = [own.name] if own else []
    tie = [summary_text.tie(compared)] if compared and len(level) > 1 else []
    score = score_header(ranking.board.challenge.scoring.quantity())
    rows = [["rank", "team", score, "95% interval", *by, "ranks", *tie, "moved"]]
    if compared is None:
        lines.append("Nobody is ranked yet.")
        rows = rows if value["baselines"] else []
    for team in value["teams"] if compared else ():
        step = rank_change(team["rank"], team["previous_rank"]) if ranking.previous_ranks else ""
        by = [f"{own.values[team['team']]:.2f}"] if own else []
        more = [
            summary_text.places(team["rank_interval"]),
            *["yes" * (team["team"] in level)] * len(tie),
            step,
        ]
        rows.append([str(team["rank"]), *_of_team(team), *by, *more])
    rows += [
        ["-", *_of_team(line), *[""] * len(by), "baseline", *[""] * len(tie), ""]
        for line in value["baselines"]
    ]
    lines += [own.words] if own else []
    lines += aligned(rows, right=(0, 2, 4) if own else (0, 2))
    if compared is None:
        return "\n".join(lines)
    lines += ["", *summary_text.sentences(compared, scales.of(ranking.board.challenge)), looks(ranking)]
    lines += ["", *_history(value["teams"])]
    lines += [f"Excluded: {row['team']}, {row['submission']}: {row['reason']}" for row in value["excluded"]]
    if value["unranked"]:
        lines.append(stopped(f"Teams without a submission that counts: {', '.join(value['unranked'])}"))
    return "\n".join(lines)


def imported_table(ranking: ImportedBoard) -> str:
    """Return an imported leaderboard, with the values that the platform exported."""
    rows = [["rank", "team", "score", "submitted"]]
    rows += [
        [str(rank or "-"), entry.team, _score(score), (entry.created or "-")[:16]]
        for rank, entry, score in ranking.ranked()
    ]
    title = f"{ranking.title} ({ranking.id}), ranked by {ranking.leaderboard.score}"
    return "\n".join([title, "", *aligned(rows, right=(0, 2)), "", ranking.words])


def _history(teams: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one line for each submission of the teams, oldest first."""
    rows = [["submitted (UTC)", "team", "score", "rank", "submission"]]
    for row in sorted(history_rows(teams), key=itemgetter("submitted")):
        state = f", {row['state']}" if row["state"] else ""
        rank = str(row["rank_that_day"] or "-")
        rows.append(
            [row["submitted"], row["team"], _score(row["score"]), rank, f"{row['submission']}{state}"]
        )
    return aligned(rows, right=(2, 3))


def changes_table(correction: Correction) -> str:
    """Return the differences between two versions of the test set."""
    (before, after), changed = correction.versions, correction.changes
    if before == after:
        return f"This is version {after} of the test set: there is no earlier version to compare with."
    lines = [f"Version {after} of the test set instead of version {before}:", *_of_cases(correction), ""]
    if not changed:
        return "\n".join([*lines, "Nobody is ranked."])
    rows = [["team", "rank", "score", "cases now more (+) or less (-) correct"]]
    for row in changed:
        ranks = " -> ".join("-" if rank is None else str(rank) for rank in row.ranks)
        scores = " -> ".join(map(_score, row.scores))
        listed = [f"{'+' if case in row.gained else '-'}{case}" for case in row.cases[:CASES]]
        more = f" and {len(row.cases) - CASES} more" if len(row.cases) > CASES else ""
        rows.append([row.team, ranks, scores, f"{', '.join(listed)}{more}"])
    return "\n".join([*lines, *aligned(rows, right=(1, 2)), "", correction.moves])


def _of_cases(correction: Correction) -> list[str]:
    """Return one line for each kind of change of cases, and one for each refused submission."""
    refused = [f"{one.team}, {one.submission}: {one.problem}" for one in correction.refused]
    of_truth = (
        ("added", correction.added, " "),
        ("removed", correction.removed, " "),
        ("changed", [f"{case} ({', '.join(parts)})" for case, parts in correction.relabelled.items()], " "),
        ("refused", refused, "\n  "),
    )
    return [
        f"{len(listed)} {word}:{gap}"
        + ("," * (gap == " ") + gap).join(listed[:CASES])
        + f"{gap}..." * (len(listed) > CASES)
        for word, listed, gap in of_truth
        if listed
    ]


def _of_team(row: Mapping[str, Any]) -> list[str]:
    return [row["team"], _score(row["score"]), _span(row["interval"], "")]


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.6f}"


def _span(pair: Sequence[float] | None, before: str = ", 95% interval ") -> str:
    return f"{before}{pair[0]:.4f} to {pair[1]:.4f}" if pair else ""
