"""Public view of a board, and its report: of a hidden truth only scores as they are shown.

The report is one HTML file with scores, intervals, ties and history, but no case.
"""

from typing import Any

from markupsafe import Markup

from scoring.common.text import markdown
from scoring.comparison import scale as scales
from scoring.comparison import summary_text
from scoring.comparison.scale import Scale
from scoring.core.views import Block, Column, Data, Section, Table, Text
from scoring.presentation.html import blocks, front
from scoring.presentation.html.document import Figures, document, rule
from scoring.services.boards import hidden_truth, views
from scoring.services.boards.hidden_truth import HiddenRules
from scoring.services.boards.ranking import BoardRanking, history_rows

WORDS = {
    "shown": "The truth is hidden: scores are shown to three decimals, without intervals and ties, until the "
    "organizer opens it.",
    "ladder": "The Ladder: a score is shown only where it beats the team's best by more than {step:g}; the "
    "best that is shown is ranked.",
}


def value(found: BoardRanking) -> dict[str, Any]:
    """Return what `board show --json` writes."""
    return hidden_truth.published(found)


def sections(found: BoardRanking) -> tuple[Section, ...]:
    """Return what everybody sees of a board."""
    known = hidden_truth.rules(found.board.store, found.board.row.id)
    return views.sections(found) if known is None else _hidden(found, known)


def formula(found: BoardRanking) -> str:
    """Return what is scored and which submission is ranked, as everybody sees it (Markdown)."""
    known = hidden_truth.rules(found.board.store, found.board.row.id)
    if known is None or known.step is None:
        return views.formula(found)
    return views.formula(found, "the best score of each team that the Ladder shows")


def hidden_truth_words(known: HiddenRules) -> str:
    """Return in words what a hidden truth tells (Markdown)."""
    ladder = WORDS["ladder"].format(step=known.step) if known.step is not None else ""
    return f"{WORDS['shown']} {ladder}".strip()


def _hidden(found: BoardRanking, known: HiddenRules) -> tuple[Section, ...]:
    shown, scale = hidden_truth.published(found), scales.of(found.board.challenge)
    note = Text(hidden_truth_words(known), "note")
    if not shown["teams"]:
        nobody = Text("Nobody is ranked yet.", "note")
        return (Section("Ranking", [note, nobody, *views.phase_table(found)]),)
    blocks: list[Block] = [note, _ranking(shown, scale), *views.phase_table(found)]
    if shown["unranked"]:
        names = ", ".join(markdown(name, 60) for name in shown["unranked"])
        blocks.append(Text(f"Without a score that is shown: {names}."))
    if found.board.store.files.holds(found.board.test_set.sha256):
        blocks.append(
            Text(hidden_truth.use(found.board).words, question="How much has the truth been used up?")
        )
    return (
        Section("Ranking", blocks),
        Section("History", [_history(shown, scale), *views.excluded(shown)]),
    )


def _ranking(shown: dict[str, Any], scale: Scale) -> Table:
    teams = shown["teams"]
    columns = [
        Column("rank", "#", "number", 0, full="rank", width=36),
        Column("team", "team"),
        Column("score", "score", "number", _digits(scale), "higher", full=scale.unit),
        Column("submissions", "submissions", "number", 0),
    ]
    rows: Data = {
        "rank": [team["rank"] for team in teams],
        "team": [team["team"] for team in teams],
        "score": [scale.factor * team["score"] for team in teams],
        "submissions": [len(team["history"]) for team in teams],
    }
    caption = "Teams with the same score as it is shown share a rank."
    return Table("Who is ranked where?", columns, rows, caption, key="board_teams")


def _history(shown: dict[str, Any], scale: Scale) -> Table:
    team, time, score, _, _, state = zip(*history_rows(shown["teams"]), strict=True)
    columns = [
        Column("team", "team"),
        Column("submitted", "submitted (UTC)"),
        Column("score", "score", "number", _digits(scale), "higher", full=scale.unit),
        Column("state", "state"),
    ]
    cells: Data = {
        "team": team,
        "submitted": time,
        "score": [None if one is None else scale.factor * one for one in score],
        "state": state,
    }
    return Table("How did the teams get there?", columns, cells, key="board_submissions")


def _digits(scale: Scale) -> int:
    """Return the decimals of a score that is rounded to three of 0 to 1."""
    return 1 if scale.factor == 100 else hidden_truth.DECIMALS


def html(found: BoardRanking) -> str:
    """Return the report of a board. The same board gives the same bytes; names are escaped."""
    row, challenge = found.board.row, found.board.challenge
    lines = [
        ("Challenge", challenge.words.title),
        ("Test set", f"version {found.board.test_set.number} of {row.version}"),
    ]
    if found.phase is not None:
        lines.append(("Phase", found.phase))
    parts = [
        front.front(row.title, formula(found), lines),
        *blocks.sections(sections(found), Figures()),
        rule(f"{summary_text.RULE}\n\n{challenge.words.rule.strip()}"),
    ]
    return document(row.title, [Markup(part) for part in parts])
