"""A board as one HTML file that can be published: scores, intervals, ties and history, but no case."""

from markupsafe import Markup

from scoring.boards.standing import Standing, history_rows, moved
from scoring.comparison import displayed, verdict, views
from scoring.report import blocks, front
from scoring.report.document import Cell, Figures, Number, document, render, rule, section, table
from scoring.text import markdown
from scoring.views import Section

RULES = {"last": "the last submission of each team", "best": "the best submission of each team"}


def html(found: Standing) -> str:
    """Return the report of a board. The same board gives the same bytes; names are escaped."""
    row, challenge = found.board.row, found.board.challenge
    value, figures = found.as_dict(), Figures()
    how = f"{challenge.formula}. Ranked is {RULES[row.counts]}; higher is better"
    lines = [
        ("Challenge", challenge.title),
        ("Test set", f"version {found.board.test_set.number} of {row.version}"),
    ]
    sections = [front.front(row.title, how, lines)]
    compared = found.comparison
    if compared is None:
        sections.append(section("Nobody is ranked yet."))
    else:
        shown = displayed.of(compared)
        words = [verdict.standing(compared), verdict.caveat(compared), verdict.gap(compared, shown.scale)]
        text = " ".join(markdown(sentence, displayed.SENTENCE) for sentence in words if sentence)
        sections.append(render("text", question="Who is first?", text=text, kind="plain"))
        sections += blocks.sections([Section("Ranking", [views.scores(shown)])], figures)
        sections.append(_ranking(found, value, shown.scale.factor, shown.scale.digits))
        sections.append(_history(value, shown.scale.factor, shown.scale.digits))
    if value["excluded"]:
        rows = [(one["team"], one["time"][:10], one["reason"]) for one in value["excluded"]]
        sections.append(section("What was excluded?", table(("team", "submitted", "reason"), rows)))
    sections.append(rule(f"{verdict.RULE}\n\n{challenge.rule.strip()}"))
    return document(row.title, [Markup(part) for part in sections])


def _ranking(found: Standing, value: dict[str, object], factor: float, digits: int) -> str:
    compared = found.comparison
    tie = verdict.tie(compared) if compared else ""
    level = verdict.tied(compared) if compared else ()
    rows = [
        (
            team["rank"],
            team["team"],
            _number(team["score"], factor, digits),
            Cell(_span(team["interval"], factor, digits), kind="soft"),
            verdict.places(team["rank_interval"]),
            tie if len(level) > 1 and team["team"] in level else "",
            moved(team["rank"], team["previous_rank"]) if found.previous_ranks else "",
            len(team["history"]),
        )
        for team in value["teams"]  # type: ignore[attr-defined]
    ]
    heads = ("rank", "team", "score", "95% interval", "could hold ranks", "tie", "moved", "submissions")
    return section("Who is ranked where?", table(heads, rows))


def _history(value: dict[str, object], factor: float, digits: int) -> str:
    rows = [
        (
            team,
            time,
            _number(score, factor, digits),
            Cell(_span(ends, factor, digits), kind="soft"),
            rank,
            fate,
        )
        for team, time, score, ends, rank, fate in history_rows(value["teams"])  # type: ignore[arg-type]
    ]
    heads = ("team", "submitted (UTC)", "score", "95% interval", "rank at the end of that day", "")
    return section("How did the teams get there?", table(heads, rows))


def _number(value: float | None, factor: float, digits: int) -> Number | None:
    return None if value is None else Number(factor * value, digits)


def _span(pair: list[float] | None, factor: float, digits: int) -> str:
    return f"{factor * pair[0]:.{digits}f} to {factor * pair[1]:.{digits}f}" if pair else ""
