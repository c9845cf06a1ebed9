"""Public view and report of a board, and its ranks in the shown and the withheld part of the test set. If the
truth is hidden, view and report contain only shown scores.

The report is one HTML file with scores, intervals, ties and history, but no cases.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeGuard

from markupsafe import Markup

from scoring.boards import views
from scoring.boards.hidden_truth import visible_results
from scoring.boards.hidden_truth.disclosure_rules import NOTHING, HiddenRules
from scoring.boards.ranking import decision_rule, decision_views, final_ranking
from scoring.boards.ranking.board_ranking import BoardRanking
from scoring.common.text import markdown, stopped
from scoring.comparison import display, many_teams, summary_text
from scoring.comparison import score_units as scales
from scoring.comparison.display import MANY
from scoring.comparison.score_units import Scale
from scoring.core.scorecard import plain
from scoring.core.views import Block, Column, Figure, Section, Table, Text
from scoring.presentation.figures.team_ranges import RankMove, rank_moves
from scoring.presentation.html import report_blocks
from scoring.presentation.html.page_template import Figures, document, rule

NAME = "Shake-up"
OF_PART = ("rank", "rank_interval", "score", "interval")
"""Keys of a team's entry in a comparison that are listed for each part of the test set."""


def shake_up(ranking: BoardRanking) -> list[dict[str, Any]]:
    """Compare the ranking on the shown part of the test set with the ranking on the withheld part.

    Only organizers may see the result until the truth is open.

    Returns:
        Rank, score and possible ranks of each team in both parts, ordered by the withheld part; empty if the
            test set is not split.
    """
    before, after = ranking.shown_comparison, ranking.comparison
    if before is None or after is None:
        return []
    rows = []
    for team in after.cards:
        shown, final = before.team(team) if team in before.cards else {}, after.team(team)
        rows.append({"team": team, **{name: final[name] for name in OF_PART}})
        rows[-1]["shown"] = {name: shown.get(name) for name in OF_PART}
    return [plain(row) for row in rows]


def shake_up_section(ranking: BoardRanking) -> tuple[Section, ...]:
    """Return the section with figure and table that compares the rankings of both parts; empty if the test
    set is not split."""
    rows = [row for row in shake_up(ranking) if row["shown"]["rank"] is not None]
    if not rows:
        return ()
    scale, moved = scales.of(ranking.board.challenge), sum(r["rank"] != r["shown"]["rank"] for r in rows)
    leader = next(row for row in rows if row["rank"] == min(row["rank"] for row in rows))
    first = "was first" if leader["shown"]["rank"] == 1 else f"was number {leader['shown']['rank']}"
    text = (
        f"{moved} of {len(rows)} teams have another rank on the withheld cases than on the shown cases. The "
        "withheld cases decide the final ranking. "
        f"{markdown(leader['team'], 60)} is first on the withheld cases and {first} on the shown cases."
    )
    columns = [
        Column("rank", "#", "number", 0, full="rank on the withheld cases", width=36),
        Column("team", "team"),
        Column("score", "score, withheld cases", "number", scale.digits, scale.better, full=scale.unit),
        Column("could", "possible ranks", "written", lighter=True),
        Column("shown rank", "# shown", "number", 0, full="rank on the shown cases"),
        Column("shown score", "score, shown cases", "number", scale.digits, scale.better, full=scale.unit),
        Column("shown could", "possible ranks", "written", lighter=True),
    ]
    values = [
        {
            "rank": row["rank"],
            "team": row["team"],
            "score": scale.points(row["score"]),
            "could": summary_text.places(row["rank_interval"]),
            "shown rank": row["shown"]["rank"],
            "shown score": scale.points(row["shown"]["score"]),
            "shown could": summary_text.places(row["shown"]["rank_interval"]),
        }
        for row in rows
    ]
    few = f"The first {MANY} of {len(rows)} teams are drawn. " if len(rows) > MANY else ""
    caption = (
        "Ranks of the same submissions on the shown and on the withheld cases. Whiskers: ranks that a team "
        f"could have. {few}Solid: a better rank on the withheld cases; dashed: a worse one; dotted: the same."
    )
    moves = [
        RankMove(
            row["team"], shown_part["rank"], row["rank"], shown_part["rank_interval"], row["rank_interval"]
        )
        for row in rows[:MANY]
        if (shown_part := row["shown"])
    ]
    question, parts = "How do the withheld cases change the ranks?", ("shown cases", "withheld cases")
    build = partial(rank_moves, moves, question=question, parts=parts)
    table = Table.of("Which teams change rank?", values, columns, key="board_moves")
    blocks: list[Block] = [Text(text), Figure(build, caption, table.rows, key="board_shake_up"), table]
    return (Section(NAME, blocks),)


LISTED = 200
"""Maximum submissions in a report."""
WORDS = {
    "shown": "The truth is hidden: scores are shown {how}, without intervals and ties, until the "
    "organizer opens it. A correction of the truth changes no score that was shown.",
    "nothing": "The truth is hidden: no score is shown until the organizer opens it.",
    "split": (
        "Scores use only a part of the cases. At the end the withheld cases decide the ranking. The "
        "submission that a team nominated counts, or else the submission that the board's rule selects."
    ),
    "ladder": (
        "The Ladder shows a score only if it beats the team's best shown score by more than {step:g}. The "
        "best shown score is ranked, even after the truth is opened."
    ),
}


def value(ranking: BoardRanking) -> dict[str, Any]:
    """Return the JSON value that `board show --json` writes."""
    shaken = {"shake_up": shake_up(ranking)} if ranking.split and ranking.hidden is None else {}
    store, board_id = ranking.board.store, ranking.board.row.id
    decided = {
        "decision_rule": decision_rule.rule_as_dict(decision_rule.fixed_rule(store, board_id)),
        "final": final_ranking.as_dict(ranking, final_ranking.frozen(store, board_id)),
    }
    return visible_results.published(ranking) | shaken | decided


def sections(ranking: BoardRanking) -> tuple[Section, ...]:
    """Return the sections that everybody sees."""
    known = ranking.hidden
    if known is None:
        return open_sections(ranking)
    return (*_hidden(ranking, known), *decision_views.sections(ranking))


def open_sections(ranking: BoardRanking) -> tuple[Section, ...]:
    """Return all sections, as only the organizer sees them while the truth is hidden."""
    first, *others = views.sections(ranking)
    notes = [Text(sentence, "caution") for sentence in final_ranking.since(ranking)]
    if ranking.split is not None and ranking.hidden is not None:
        notes.append(Text(views.FOR_ORGANIZERS, "note"))
    first = replace(first, blocks=[*notes, *first.blocks])
    return (first, *shake_up_section(ranking), *others, *decision_views.sections(ranking))


def hidden_truth_words(known: HiddenRules, is_split: bool = False) -> str:
    """Describe in Markdown what a board reveals of its hidden truth. `is_split` says whether a part of the
    test set is withheld."""
    part = WORDS["split"] * is_split
    if known.detail == NOTHING:
        return f"{WORDS['nothing']} {part}".strip()
    how = f"to {known.decimals} decimal{'s' * (known.decimals > 1)}"
    if known.step is not None:
        how = f"as multiples of {known.step:g}, the Ladder's step"
    ladder = WORDS["ladder"].format(step=known.step) if known.step is not None else ""
    return " ".join(filter(None, (WORDS["shown"].format(how=how), ladder, part)))


def _hidden(ranking: BoardRanking, known: HiddenRules) -> tuple[Section, ...]:
    public, scale = visible_results.published(ranking), scales.of(ranking.board.challenge)
    note = Text(hidden_truth_words(known, ranking.split is not None), "note")
    shown = digits(scale, known)
    lines = views.baselines(public, scale, shown)
    if not public["teams"]:
        waiting = ", ".join(markdown(name, 60) for name in public["unranked"])
        notice = f"No score is shown yet. Submitted: {waiting}" if waiting else "Nobody has submitted yet."
        nobody = Text(stopped(notice), "note")
        return (Section("Ranking", [note, nobody, *lines, *views.phase_table(ranking)]),)
    blocks: list[Block] = [note, _ranking(public, scale, shown), *lines, *views.phase_table(ranking)]
    if public["unranked"]:
        names = ", ".join(markdown(name, 60) for name in public["unranked"])
        blocks.append(Text(stopped(f"Teams without a shown score: {names}")))
    if ranking.board.store.files.holds(ranking.board.test_set.sha256):
        used = visible_results.use(ranking.board, ranking if ranking.phase is None else None)
        blocks.append(Text(used.words, question="How much of the truth have the scores revealed?"))
    return (
        Section("Ranking", blocks),
        Section("History", [views.history(public, scale, shown), *views.excluded(public)]),
    )


def _ranking(public: dict[str, Any], scale: Scale, shown: int) -> Table:
    score = views.score_column(scale, digits=shown)
    columns = [views.RANK, Column("team", "team"), score, views.SUBMISSIONS]
    caption = "Teams with the same displayed score share a rank."
    return Table.of("Who is ranked where?", public["teams"], columns, caption, key="board_teams")


def digits(scale: Scale, known: HiddenRules | None) -> int:
    """Return the number of decimals of a shown score.

    Args:
        known: The disclosure rules of a hidden truth; None: the default number of decimals.
    """
    shown = (known or HiddenRules()).digits
    return max(0, shown - 2) if scale.factor == 100 else shown


def html(ranking: BoardRanking) -> str:
    """Return the report of a board as HTML. The same board always gives the same bytes. Figures show all
    teams. If there are many submissions, the report lists only the newest and `appendix` lists all."""
    challenge = ranking.board.challenge
    parts = [
        *report_blocks.sections((*_shortened(sections(ranking)), *_all_teams(ranking)), Figures()),
        rule(f"{views.RULE}\n\n{challenge.words.rule.strip()}"),
    ]
    return _document(ranking, parts)


def appendix(ranking: BoardRanking) -> str:
    """Return the list of all submissions as HTML; "" if the report already contains all of them."""
    tables = [block for block in _blocks(sections(ranking)) if _is_long(block)]
    return _document(ranking, [report_blocks.html(table, Figures()) for table in tables]) if tables else ""


def _document(ranking: BoardRanking, parts: Sequence[str]) -> str:
    row, challenge = ranking.board.row, ranking.board.challenge
    lines = [
        ("Challenge", challenge.words.title),
        ("Test set", f"version {ranking.board.test_set.number} of {row.version}"),
    ]
    if ranking.board.imported:
        lines.append(("Origin", ranking.board.imported))
    if ranking.phase is not None:
        lines.append(("Phase", ranking.phase))
    front = report_blocks.front_page(row.title, views.formula(ranking), lines)
    return document(row.title, [Markup(part) for part in (front, *parts)])


def _blocks(of: Iterable[Section]) -> Iterator[Block]:
    for section in of:
        yield from section.blocks


def _is_long(block: Block) -> TypeGuard[Table]:
    return isinstance(block, Table) and block.key == views.HISTORY and len(block.rows["submitted"]) > LISTED


def _shortened(of: Iterable[Section]) -> Iterator[Section]:
    """Yield the sections. Of each long list of submissions, only the newest stay, in the same order."""
    for section in of:
        yield replace(section, blocks=[_newest(b) if _is_long(b) else b for b in section.blocks])


def _newest(table: Table) -> Table:
    times = table.rows["submitted"]
    newest = sorted(sorted(range(len(times)), key=lambda k: times[k], reverse=True)[:LISTED])
    rows = {name: [values[k] for k in newest] for name, values in table.rows.items()}
    caption = (
        f"This table lists the newest {LISTED} of {len(times):,} submissions. The appendix and board.json "
        "list all."
    )
    return replace(table, rows=rows, caption=f"{caption} {table.caption}".strip())


def _all_teams(ranking: BoardRanking) -> tuple[Section, ...]:
    """Return figures of all teams if there are many. Empty for few teams, and for a hidden truth."""
    compared = None if ranking.hidden else ranking.comparison
    if compared is None or not many_teams.are_many(compared):
        return ()
    view = display.whole(compared)
    drawn = (*many_teams.scores(view), *many_teams.stability(view))
    return (Section("All teams", (*many_teams.best(compared), *many_teams.groups(compared), *drawn)),)
