"""BIAS checklist of a board: items that the board knows are filled in; the organizer fills in the others.

Items, letters and order follow the form for describing a challenge design in Maier-Hein et al., BIAS:
Transparent reporting of biomedical image analysis challenges, Med Image Anal 2020;66:101796. The checklist
reveals nothing that the board's public report does not contain.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from scoring.boards import views
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import BoardRanking
from scoring.boards.submissions.phases_and_limits import DAY, spoken
from scoring.challenges import REGISTRY
from scoring.common.text import markdown, named, stopped
from scoring.comparison.team_facts import UNKNOWN
from scoring.version import __version__

SOURCE = (
    "Items, letters and order of the structured description of a challenge design of Maier-Hein et al., "
    "BIAS: Transparent reporting of biomedical image analysis challenges. Med Image Anal 2020;66:101796, "
    "doi.org/10.1016/j.media.2020.101796. Fields that the board knows are filled in. Only the organizers "
    "can fill in the fields marked **To write**."
)
TO_WRITE = "**To write:**"
ORGANIZERS = "Organizers a"
MODEL = "ONNX model, or "
FORM = Path(__file__).with_name("bias_form.toml")


def bias_checklist(ranking: BoardRanking, creators: Sequence[str] = ()) -> str:
    """Return a checklist of possible biases of the board as Markdown. The same board always gives the same
    text.

    Args:
        creators: The organizers, if known.
    """
    known = dict(_known(ranking))
    if creators:
        known[ORGANIZERS] = "; ".join(map(markdown, creators))
    lines = [f"# BIAS checklist: {markdown(ranking.board.row.title)}", "", SOURCE]
    for section, items in tomllib.loads(FORM.read_text("utf-8")).items():
        lines += ["", f"## {section}"]
        for item, wanted in items.items():
            lines += ["", f"### {item}"]
            for letter, text in zip(ascii_lowercase, wanted, strict=False):
                part, mark = (item, "") if len(wanted) == 1 else (f"{item} {letter}", f"{letter}) ")
                told = [known[part]] if part in known else []
                text = "affiliations" if part == ORGANIZERS and creators else text
                lines += ["", mark + "\n\n".join([*told, f"{TO_WRITE} {text}."])]
    return "\n".join(lines) + "\n"


def _known(ranking: BoardRanking) -> Iterator[tuple[str, str]]:
    """Yield items of the checklist with the text that the board knows (Markdown)."""
    row, challenge, value = ranking.board.row, ranking.board.challenge, public_report.value(ranking)
    yield "Title", f"{markdown(row.title)} ({markdown(row.id)})"
    field = "cancer imaging" if row.challenge in REGISTRY else "biomedical imaging"
    yield "Keywords", f"{markdown(challenge.words.title)}; {field}; challenge; ranking"
    yield "Challenge venue and platform b", f"The board was managed with Benchside {__version__}."
    yield "Submission method a", _submission(ranking)
    yield "Submission method b", _limits(ranking)
    if ranking.phases:
        yield "Challenge schedule", _schedule(ranking)
    yield "Participation policies e", _announcement(ranking, value["final"])
    yield "Code availability a", f"Benchside {__version__}, Apache-2.0, scores and ranks."
    yield "Task category(ies)", challenge.words.about
    yield "Assessment aim(s)", f"The score: {challenge.formula(row.options['score'])}."
    yield "Metric(s) a", f"{challenge.formula(row.options['score'])}.\n\n{challenge.words.rule.strip()}"
    yield "Ranking method(s) a", _decided(ranking, value["decision_rule"])
    if missing := row.options["score"].get("missing"):
        yield "Ranking method(s) b", f"The option `missing` of the challenge is `{missing}`."
    provenance = value["provenance"]
    if "n_cases" in provenance:
        cases = f"{provenance['n_cases']:,}"
        sentence = f"The test set has {cases} cases."
        if ranking.split is not None:
            sentence = f"The ranking uses {cases} of {len(ranking.board.truth):,} cases of the test set."
        yield "Training and test case characteristics b", sentence
    yield "Statistical analyses a", _statistics(provenance, ranking.scored)
    if any(team["rank_interval"] for team in value["teams"]):
        yield (
            "Further analyses",
            "Each rank is shown with the range of ranks that the team could have, over all pairs of teams.",
        )
    teams = value["final"]["ranking"] if value["final"] else value["teams"]
    yield "Participation", _participation(ranking, [team["team"] for team in teams], value)
    if teams:
        best = ", ".join(markdown(team["team"]) for team in teams if team["rank"] == 1)
        where = "the current state of the board" if value["final"] else "the ranking"
        yield "Results", f"{stopped(f'Ranked first: {best}')} For details, see {where} in report.html."
        yield "Teams and methods", "\n".join(_team(ranking, team) for team in teams)


def _submission(ranking: BoardRanking) -> str:
    """Return what teams submit. Models are left out if the test set has no images."""
    board, kind = ranking.board, ranking.board.challenge.inputs.submission
    known = "onnx" in kind.endings and board.store.files.holds(board.test_set.sha256)
    kinds = kind.words if not known or any(board.truth.images) else kind.words.removeprefix(MODEL)
    return f"{kinds[0].upper()}{kinds[1:]}."


def _limits(ranking: BoardRanking) -> str:
    which = f"The ranking uses {views.which_counts(ranking)}."
    limits = [
        f"Phase {markdown(phase.name)}: {_number(phase.per_day)} per team and day, and "
        f"{_number(phase.total)} per team in total."
        for phase in ranking.phases
    ]
    return " ".join([*(limits or ["The number of submissions was not limited."]), which])


def _number(limit: int | None) -> str:
    return "any number" if limit is None else str(limit)


def _schedule(ranking: BoardRanking) -> str:
    return "\n".join(
        f"* {markdown(phase.name)}: submissions from {_time(phase.opens, 'the beginning')} to "
        f"{_time(phase.closes, 'no fixed end')}"
        for phase in ranking.phases
    )


def _time(time: str | None, without: str) -> str:
    return without if time is None else spoken(time)


def _announcement(ranking: BoardRanking, final: Mapping[str, Any] | None) -> str:
    if ranking.hidden is not None:
        return public_report.hidden_truth_words(ranking.hidden, ranking.split is not None)
    sentence = "The board shows scores, intervals and ties as soon as a submission is scored."
    if ranking.shown is not None:
        sentence = "The truth was hidden until the end; since then, scores, intervals and ties are shown."
    if ranking.split is not None:
        sentence = (
            "Until the truth was opened, scores used a part of the cases; the other cases decide the "
            "final ranking."
        )
    if final is None:
        return sentence
    frozen = f"The final ranking was frozen on {spoken(final['frozen'])}: SHA-256 `{final['sha256']}`."
    return " ".join([sentence, frozen, _changed(final["changes"])]).strip()


def _decided(ranking: BoardRanking, rule: Mapping[str, Any] | None) -> str:
    sentence, tie_break = stopped(views.formula(ranking)), ranking.board.challenge.comparison.tie_break
    if tie_break:
        sentence += f" If teams have the same score, the team with the better {named(tie_break)} is first."
    elif views.own_order(ranking) is None:
        sentence += " Teams with the same score share a rank."
    if rule is None:
        return sentence
    own = f"Prize places: {rule['rule']['prize places']}. In a tie: {markdown(rule['rule']['ties'])}."
    fixed = f"The rule was fixed before the first submission, on {spoken(rule['fixed'])}: SHA-256"
    return " ".join([sentence, own, f"{fixed} `{rule['sha256']}`.", _changed(rule["changes"])]).strip()


def _changed(changes: Sequence[Mapping[str, str]]) -> str:
    return "report.html lists later changes." if changes else ""


def _statistics(provenance: Mapping[str, Any], submissions: int) -> str:
    if not all(provenance.get(name) for name in ("resamples", "interval", "n_units")):
        return "No intervals and no tests are published."
    intervals = (
        f"95% intervals ({provenance['interval']}) by {provenance['resamples']:,} resamples of "
        f"{provenance['n_units']:,} units (one per {markdown(str(provenance['unit']))}), seed "
        f"{provenance['seed']}."
    )
    if not provenance.get("pairs_test"):
        return f"{intervals} No test of differences between teams is published."
    return (
        f"{intervals} Teams are compared by Student's t on the standard errors of the "
        f"{provenance['pairs_test']} test. The level of each pair is 5%/(m (m − 1)²), where m = "
        f"{submissions} is the number of submissions scored so far. With this level, the error rate of "
        "the board stays at most 5%, however often it is viewed."
    )


def _participation(ranking: BoardRanking, teams: Sequence[str], value: Mapping[str, Any]) -> str:
    sent = [entry.created[:DAY] for team in teams for entry in ranking.by_team.get(team, ())]
    unranked = [team for team in value["unranked"] if team not in teams]
    sentence = f"{_several(len(teams), 'ranked team')} with {_several(len(sent), 'submission')}"
    sentence += f" from {min(sent)} to {max(sent)}" if sent else ""
    sentence += f"; {_several(len(unranked), 'team')} without a rank" if unranked else ""
    out = [f"* {markdown(entry['team'])}: {markdown(entry['reason'])}" for entry in value["excluded"]]
    return "\n".join([f"{sentence}.", *(["", "Excluded:", "", *out] if out else [])])


def _several(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _team(ranking: BoardRanking, team: Mapping[str, Any]) -> str:
    facts = ranking.facts.get(team["team"], UNKNOWN).as_dict()
    told = [markdown(str(facts[name])) for name in ("institution", "method", "licence") if facts.get(name)]
    return f"* {team['rank']}. {markdown(team['team'])}{': ' * bool(told)}{'; '.join(told)}"
