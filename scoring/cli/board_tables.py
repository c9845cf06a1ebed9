"""Boards as short tables for a terminal."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from scoring.common.text import stopped
from scoring.comparison import scale as scales
from scoring.comparison import summary_text
from scoring.services.boards.foreign_leaderboards import ImportedBoard
from scoring.services.boards.ranking import final_ranking
from scoring.services.boards.ranking.board_ranking import BoardRanking, history_rows, rank_change
from scoring.services.boards.submissions.phases import Phase
from scoring.services.boards.submissions.submitting import Receipt
from scoring.services.boards.truth_correction.correction_preview import Correction
from scoring.services.boards.views import FOR_ORGANIZERS, own_order, which_counts

CASES = 5
"""Cases that a line names before it says "and N more"."""


def list_table(boards: Sequence[Mapping[str, Any]]) -> str:
    """Return a line for each board."""
    rows = [f"{'board':<24}{'challenge':<14}{'teams':>6}{'submissions':>13}  title"]
    for row in boards:
        counts = f"{row['teams']:>6}{row['submissions']:>13}"
        problem = " (cannot be read)" if "broken" in row else ""
        rows.append(f"{row['id'][:23]:<24}{row['challenge']!s:<14}{counts}  {row['title']}{problem}")
    return "\n".join(rows)


def phase_lines(ranking: Sequence[Phase]) -> str:
    """Return a line for each phase, with its state now."""
    return "\n".join(f"Phase {phase.name} ({phase.state()}): {phase.words}" for phase in ranking)


def receipt_line(receipt: Receipt) -> str:
    """Return what became of a submission."""
    again = " (submitted before)" if receipt.again else ""
    result = f"score {_score(receipt.score)}{_span(receipt.interval)}"
    return f"{receipt.team}: {result}, submission {receipt.id}{again}"


def board_table(ranking: BoardRanking) -> str:
    """Return the ranking and the history of a board."""
    value, row, compared = ranking.as_dict(), ranking.board.row, ranking.comparison
    version = f"test set {ranking.board.test_set.number} of {row.version}"
    lines = [f"{row.title} ({row.id}, {row.challenge}), {which_counts(ranking)} counts, {version}"]
    if ranking.split is not None and ranking.hidden is not None:
        lines.append(FOR_ORGANIZERS)
    lines += final_ranking.since(ranking)
    if ranking.phase is not None:
        lines.append(f"Ranked is what was submitted in the phase {ranking.phase}.")
    lines += [phase_lines(ranking.phases), ""] if ranking.phases else [""]
    listed = [
        f"{'-':>5}  {line['team'][:24]:<24}{_score(line['score']):>10}   "
        f"{_span(line['interval'], ''):<19}baseline"
        for line in value["baselines"]
    ]
    if compared is None:
        return "\n".join([*lines, "Nobody is ranked yet.", *listed])
    level, own = summary_text.tied(compared), own_order(ranking)
    lines += [own.words] if own else []
    by = f"{own.name}  " if own else ""
    lines.append(f"{'rank':>5}  {'team':<24}{'score':>10}   {'95% interval':<19}{'ranks':<10}{by}moved")
    for team in value["teams"]:
        tie = f", {summary_text.tie(compared)}" if len(level) > 1 and team["team"] in level else ""
        step = rank_change(team["rank"], team["previous_rank"]) if ranking.previous_ranks else ""
        by = f"{own.values[team['team']]:>{len(own.name)}.2f}  " if own else ""
        lines.append(
            f"{team['rank']:>5}  {team['team'][:24]:<24}{_score(team['score']):>10}   "
            f"{_span(team['interval'], ''):<19}{summary_text.places(team['rank_interval']):<10}"
            f"{by}{step}{tie}"
        )
    lines += listed
    lines += ["", *summary_text.sentences(compared, scales.of(ranking.board.challenge))]
    lines += ["", *_history(value["teams"])]
    lines += [f"Excluded: {row['team']}, {row['submission']}: {row['reason']}" for row in value["excluded"]]
    if value["unranked"]:
        lines.append(stopped(f"Without a submission that counts: {', '.join(value['unranked'])}"))
    return "\n".join(lines)


def imported_table(ranking: ImportedBoard) -> str:
    """Return an imported leaderboard, as far as the platform exported it."""
    lines = [f"{ranking.title} ({ranking.id}), ranked by {ranking.leaderboard.score}", ""]
    lines.append(f"{'rank':>5}  {'team':<24}{'score':>10}   submitted")
    lines += [
        f"{rank or '-':>5}  {entry.team[:24]:<24}{_score(score):>10}   {(entry.created or '-')[:16]}"
        for rank, entry, score in ranking.ranked()
    ]
    return "\n".join([*lines, "", ranking.words])


def _history(teams: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return all submissions of the teams, oldest first, a line each."""
    lines = [f"{'submitted (UTC)':<18}{'team':<24}{'score':>10}  {'rank':>5}   submission"]
    for row in sorted(history_rows(teams), key=itemgetter("submitted")):
        state = f", {row['state']}" if row["state"] else ""
        end = f"{row['rank_that_day'] or '-':>5}   {row['submission']}{state}"
        lines.append(f"{row['submitted']:<18}{row['team'][:23]:<24}{_score(row['score']):>10}  {end}")
    return lines


def changes_table(found: Correction) -> str:
    """Return what one version of the test set changes against another."""
    (before, after), changed = found.versions, found.changes
    if before == after:
        return f"Test set {after}: there is nothing to compare with."
    lines = [f"Test set {after} instead of {before}:", *_of_cases(found), ""]
    if not changed:
        return "\n".join([*lines, "Nobody is ranked."])
    lines.append(f"{'team':<24}{'rank':>12}{'score':>24}   cases gained (+) and lost (-)")
    for row in changed:
        ranks = " -> ".join("-" if rank is None else str(rank) for rank in row.ranks)
        scores = " -> ".join(map(_score, row.scores))
        listed = [f"{'+' if case in row.gained else '-'}{case}" for case in row.cases[:CASES]]
        more = f" and {len(row.cases) - CASES} more" if len(row.cases) > CASES else ""
        lines.append(f"{row.team[:23]:<24}{ranks:>12}{scores:>24}   {', '.join(listed)}{more}")
    return "\n".join([*lines, "", found.moves])


def _of_cases(found: Correction) -> list[str]:
    """Return a line for each kind of change of cases, and for submissions that are refused."""
    of_truth = (
        ("added", found.added),
        ("removed", found.removed),
        ("changed", [f"{case} ({', '.join(parts)})" for case, parts in found.relabelled.items()]),
        ("refused", [f"{one.team}, {one.submission}: {one.problem}" for one in found.refused]),
    )
    return [
        f"{len(listed)} {word}: {', '.join(listed[:CASES])}{' ...' if len(listed) > CASES else ''}"
        for word, listed in of_truth
        if listed
    ]


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.6f}"


def _span(pair: Sequence[float] | None, before: str = ", 95% interval ") -> str:
    return f"{before}{pair[0]:.4f} to {pair[1]:.4f}" if pair else ""
