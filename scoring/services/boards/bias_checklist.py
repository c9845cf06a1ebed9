"""BIAS checklist of a board: what it knows is filled in, what it does not know is left to write.

The items are those of the challenge design document in Maier-Hein et al., BIAS: Transparent reporting of
biomedical image analysis challenges. Med Image Anal 2020;66:101796, in its order. Nothing is told that
the board's public report does not tell.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.common.text import markdown
from scoring.services.boards import publishing, views
from scoring.services.boards.phases import DAY, spoken
from scoring.services.boards.ranking import BoardRanking
from scoring.version import __version__

SOURCE = (
    "Items of the challenge design document of Maier-Hein et al., BIAS: Transparent reporting of biomedical "
    "image analysis challenges. Med Image Anal 2020;66:101796, doi.org/10.1016/j.media.2020.101796. What the "
    "board knows is filled in. What stands as **To write** only the organizers know."
)
TO_WRITE = "**To write:**"
ITEMS: Mapping[str, Mapping[str, str]] = {
    "Summary": {
        "Title": "full title and acronym",
        "Abstract": "the problem, why it matters, and what the challenge adds",
        "Keywords": "what characterizes the challenge",
    },
    "Challenge organization": {
        "Organizers": "names and affiliations, and who to write to",
        "Lifecycle type": "one-time event with fixed submission deadline, open call, or repeated event",
        "Venue and platform": "conference or workshop, and the website",
        "Participation policies": "allowed user interaction, additional training data, members of the "
        "organizers' institutes, awards",
        "Results announcement": "when results are told, and of which teams",
        "Publication policy": "who of the participating teams is an author, may they publish, any embargo",
        "Submission method": "link to the instructions",
        "Submissions before the final one": "how often teams may submit, and which submission counts",
        "Challenge schedule": "release of the cases, registration, submission, results, workshop",
        "Ethics approval": "approval, its number, or why none is needed",
        "Data usage agreement": "the licence of the data",
        "Code availability, organizers": "link to the evaluation software",
        "Code availability, participants": "whether teams must publish their code",
        "Conflicts of interest": "sponsors and funding; who had access to the labels of the test cases",
    },
    "Mission of the challenge": {
        "Field of application": "diagnosis, screening, prognosis, treatment planning, research",
        "Task category": "classification, segmentation, detection, prediction",
        "Target cohort": "of whom the data would come in the final application",
        "Challenge cohort": "of whom the data of the challenge came",
        "Imaging modality": "technique of the images",
        "Context information": "what is given beside the images, of the image and of the patient",
        "Target entities": "what the images show, and what the algorithms look for",
        "Assessment aim": "the property of algorithms that is looked for",
    },
    "Challenge data sets": {
        "Data source": "devices, acquisition protocols, centres, experience of the people",
        "Training and test cases": "what a case is, why so many and so divided, proportions of classes",
        "Annotation": "how the reference was made, instructions, annotators and their experience, merging",
        "Pre-processing": "what was done to the raw data",
        "Sources of error": "of the images and of the annotation, with variability between and within "
        "annotators",
    },
    "Assessment methods": {
        "Metrics": "why these metrics",
        "Ranking method": "why this ranking",
        "Missing results": "how missing results are treated",
        "Statistical analyses": "further tests, and why",
        "Further analyses": "combined algorithms, variability between algorithms, common problems, bias",
    },
    "Outcome": {
        "Participation": "registrations, submissions and teams",
        "Results": "what the ranking means for the field",
        "Teams and methods": "names, affiliations and methods of the teams",
    },
}
"""Section -> item -> what only the organizers know of it, or may add."""


def bias_checklist(ranking: BoardRanking) -> str:
    """Return the checklist as Markdown. The same board gives the same text."""
    known = dict(_known(ranking))
    lines = [f"# BIAS checklist: {markdown(ranking.board.row.title)}", "", SOURCE]
    for section, items in ITEMS.items():
        lines += ["", f"## {section}"]
        for item, wanted in items.items():
            lines += ["", f"### {item}", ""]
            lines += [known[item], ""] if item in known else []
            lines.append(f"{TO_WRITE} {wanted}.")
    return "\n".join(lines) + "\n"


def _known(ranking: BoardRanking) -> Iterator[tuple[str, str]]:
    """Yield what the board knows of an item (Markdown)."""
    row, challenge, value = ranking.board.row, ranking.board.challenge, publishing.value(ranking)
    yield "Title", f"{markdown(row.title)} ({markdown(row.id)})"
    yield "Keywords", f"{markdown(challenge.words.title)}; cancer imaging; challenge; ranking"
    yield "Venue and platform", f"The board was kept with Benchside {__version__}."
    yield "Submission method", f"{challenge.inputs.submission.words}."
    yield "Submissions before the final one", _limits(ranking)
    if ranking.phases:
        yield "Challenge schedule", _schedule(ranking)
    yield "Results announcement", _announcement(ranking, value["final"])
    yield "Code availability, organizers", f"Benchside {__version__}, Apache-2.0, scores and ranks."
    yield "Task category", challenge.words.about
    yield "Assessment aim", f"The score: {challenge.formula(row.options['score'])}."
    yield "Metrics", f"{challenge.formula(row.options['score'])}.\n\n{challenge.words.rule.strip()}"
    yield "Ranking method", _decided(ranking, value["decision_rule"])
    if missing := row.options["score"].get("missing"):
        yield "Missing results", f"The option `missing` of the challenge is `{missing}`."
    provenance = value["provenance"]
    if "n_cases" in provenance:
        cases = f"{provenance['n_cases']:,}"
        words = f"The test set has {cases} cases."
        if ranking.split is not None:
            words = f"The test set has {len(ranking.board.truth):,} cases, of which {cases} rank."
        yield "Training and test cases", words
    yield "Statistical analyses", _statistics(provenance)
    if any(team["rank_interval"] for team in value["teams"]):
        yield (
            "Further analyses",
            "Ranks that each team could hold stand beside its rank, over all pairs of teams.",
        )
    yield "Participation", _participation(value)
    if value["teams"]:
        best = [team["team"] for team in value["teams"] if team["rank"] == 1]
        yield "Results", f"Ranked first: {', '.join(map(markdown, best))}. The ranking is in report.html."
        yield "Teams and methods", "\n".join(map(_team, value["teams"]))


def _limits(ranking: BoardRanking) -> str:
    which = f"Ranked is {views.which_counts(ranking)}."
    limits = [
        f"Phase {markdown(phase.name)}: of each team {_number(phase.per_day)} a day and "
        f"{_number(phase.total)} in all."
        for phase in ranking.phases
    ]
    return " ".join([*(limits or ["The number of submissions was not limited."]), which])


def _number(limit: int | None) -> str:
    return "any number" if limit is None else str(limit)


def _schedule(ranking: BoardRanking) -> str:
    return "\n".join(
        f"* {markdown(phase.name)}: submissions from {phase.opens or 'the beginning'} to "
        f"{phase.closes or 'no fixed end'} (UTC)"
        for phase in ranking.phases
    )


def _announcement(ranking: BoardRanking, final: Mapping[str, Any] | None) -> str:
    if ranking.hidden is not None:
        return publishing.hidden_truth_words(ranking.hidden, ranking.split is not None)
    words = "The board shows scores, intervals and ties at once."
    if ranking.shown is not None:
        words = "The truth was hidden until the end; scores, intervals and ties are shown since."
    if ranking.split is not None:
        words = "Until the truth was opened, scores were those of a part of the cases; the others rank."
    if final is None:
        return words
    frozen = f"The final ranking was frozen on {spoken(final['frozen'])}: SHA-256 `{final['sha256']}`."
    return " ".join([words, frozen, _changed(final["changes"])]).strip()


def _decided(ranking: BoardRanking, rule: Mapping[str, Any] | None) -> str:
    words = f"{views.formula(ranking)}. Teams with the same score share a rank."
    if rule is None:
        return words
    own = f"Prize places: {rule['rule']['prize places']}. At a tie: {markdown(rule['rule']['ties'])}."
    fixed = f"The rule was fixed before the first submission, on {spoken(rule['fixed'])}: SHA-256"
    return " ".join([words, own, f"{fixed} `{rule['sha256']}`.", _changed(rule["changes"])]).strip()


def _changed(changes: Sequence[Mapping[str, str]]) -> str:
    return "What was changed since stands in report.html." if changes else ""


def _statistics(provenance: Mapping[str, Any]) -> str:
    if not provenance.get("resamples") or not provenance.get("pairs_test"):
        return "No intervals and no tests are published."
    return (
        f"95% intervals ({provenance['interval']}) by {provenance['resamples']:,} resamples of "
        f"{provenance['n_units']:,} units ({markdown(str(provenance['unit']))}), seed "
        f"{provenance['seed']}; teams are told apart by the {provenance['pairs_test']} test, "
        "simultaneously over all pairs at 5%."
    )


def _participation(value: Mapping[str, Any]) -> str:
    sent = [entry["time"][:DAY] for team in value["teams"] for entry in team["history"]]
    n_teams, unranked = len(value["teams"]), len(value["unranked"])
    words = f"{n_teams} ranked teams with {len(sent)} submissions"
    words += f" from {min(sent)} to {max(sent)}" if sent else ""
    words += f"; {unranked} teams without a rank" if unranked else ""
    out = [f"* {markdown(entry['team'])}: {markdown(entry['reason'])}" for entry in value["excluded"]]
    return "\n".join([f"{words}.", *(["", "Excluded:", "", *out] if out else [])])


def _team(team: Mapping[str, Any]) -> str:
    facts = team["facts"]
    told = [markdown(str(facts[name])) for name in ("institution", "method", "licence") if facts.get(name)]
    return f"* {team['rank']}. {markdown(team['team'])}{': ' * bool(told)}{'; '.join(told)}"
