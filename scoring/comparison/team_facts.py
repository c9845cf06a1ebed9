"""Facts about a team besides its predictions: model size, institution, method, licence."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from scoring.common.findings import Finding, InputRefused, error, note
from scoring.core.challenge import Challenge
from scoring.core.comparison_spec import ComparisonSpec
from scoring.core.options import Values, size_problem
from scoring.core.scorecard import ScoreCard
from scoring.inputs import case_tables, tables
from scoring.inputs.archives import has_hidden, shown
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import Source, open_source
from scoring.inputs.tables import TextTable

LONGEST = 120
"""Maximum number of characters of institution, method and licence."""
ROUNDING_MIB = 0.01
"""Two sizes that differ by at most this count as equal, because sizes in tables are rounded."""


@dataclass(frozen=True)
class TeamFacts:
    """Facts about a team; None if unknown.

    Attributes:
        size_mib: Size of its model in MiB (bytes / 1048576), 0 or more.
    """

    size_mib: float | None = None
    institution: str | None = None
    method: str | None = None
    licence: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the facts by name."""
        return asdict(self)


UNKNOWN = TeamFacts()
OF_A_MODEL = "The model's file has {:.2f} MiB, not {:g}: leave the size blank."
GIVEN_TWICE = "The size is given twice, as {:g} and as {:g} MiB: give it once."
HEADERS: Mapping[str, tuple[str, ...]] = {
    "size_mib": ("size_mib", "size_(mib)", "size", "model_size_mib"),
    "institution": ("institution", "affiliation"),
    "method": ("method",),
    "licence": ("licence", "license"),
}
"""Fact -> headers of the fact's column in a table, as `tables.key` returns them."""
LABELS: Mapping[str, str] = {
    "size_mib": "size (MiB)",
    "institution": "institution",
    "method": "method",
    "licence": "licence",
}
"""Fact -> the fact's name on a page."""


def size_of(text: str) -> float:
    """Read a size that somebody typed; a decimal comma is accepted.

    Raises:
        ValueError: If the text is not a size; the message is a sentence that says so.
    """
    read = parse_numbers([text], decimal_comma=True)
    if read.fault[0]:
        raise ValueError(f"{shown(text[:40])!r} is not a number: give the model's size in MiB, 0 or more.")
    value = float(read.values[0])
    if problem := size_problem(value):
        raise ValueError(problem)
    return value


def fact_text(value: object) -> str:
    """Return a fact as the text that a person would type."""
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def text_of(text: str) -> str:
    """Return a typed institution, method or licence without blanks at the ends.

    Raises:
        ValueError: If the text is too long, or contains markup or hidden characters; the message is a
            sentence that says so.
    """
    plain = text.strip()
    if len(plain) > LONGEST:
        raise ValueError(f"It has {len(plain)} characters: shorten it to {LONGEST}.")
    if has_hidden(plain):
        raise ValueError("It has control or hidden characters: type it as one line of plain text.")
    if any(sign in plain for sign in MARKUP):
        raise ValueError("It looks like markup: write plain text, without <, > and links in brackets.")
    return plain


MARKUP = ("<", ">", "](")
READERS: Mapping[str, Callable[[str], Any]] = {
    "size_mib": size_of,
    "institution": text_of,
    "method": text_of,
    "licence": text_of,
}
"""Fact -> function that reads the fact from text. If the text is invalid, it raises ValueError with a
sentence as message."""


def parse(team: str, cells: Mapping[str, str], where: str | None = None) -> tuple[TeamFacts, list[Finding]]:
    """Read the typed facts of one team.

    Args:
        cells: Text by fact; a blank text means unknown.
        where: Location of the text; None: the team's name.

    Returns:
        The facts, None for each with a problem; and a finding `bad-team-fact` for each problem, whose
        location ends with the name of the fact.
    """
    values: dict[str, Any] = {}
    problems = []
    for fact, text in cells.items():
        try:
            values[fact] = READERS[fact](text) if text.strip() else None
        except ValueError as wrong:
            problems.append(error("bad-team-fact", f"{where or team}, {LABELS[fact]}", str(wrong)))
    return TeamFacts(**values), problems


def read_facts(
    source: Source, teams: Collection[str], name: str | None = None
) -> tuple[dict[str, TeamFacts], list[Finding]]:
    """Read a table of facts with a column `team` and any of size_mib, institution, method, licence.

    Returns:
        Facts by team, and notes on rows without a known team and on unknown columns.

    Raises:
        InputRefused: If cells are invalid; it lists all of them.
    """
    files = open_source(source, name)
    _, table = files.read_table(case_tables.find_table(files, case_tables.WITH_METADATA), files.name)
    columns, problems = _columns(table)
    facts_of: dict[str, TeamFacts] = {}
    ignored = [
        note(
            "unknown-column",
            table.header_place,
            f"column {shown(header)!r} is not a fact about a team: it is not used.",
        )
        for column, header in enumerate(table.header)
        if column not in columns.values()
    ]
    if not problems:
        cells = {fact: table.cells(column) for fact, column in columns.items()}
        for row, team in enumerate(cells.pop("team")):
            where = table.place(row)
            facts, wrong = parse(team, {fact: column[row] for fact, column in cells.items()}, where)
            problems += wrong
            if team in facts_of:
                problems.append(
                    error("duplicate-team", where, f"{shown(team)} has more than one row: keep one.")
                )
            elif team in teams:
                facts_of[team] = facts
            else:
                message = (
                    f"{shown(team) or 'a row without a name'} is not one of the compared teams: "
                    "its row is not used."
                )
                ignored.append(note("unknown-team", where, message))
    problems = [*table.problems, *problems]
    if problems:
        raise InputRefused(problems, ignored)
    return facts_of, ignored


def _columns(table: TextTable) -> tuple[dict[str, int], list[Finding]]:
    """Return the position of the column "team" and of each fact in the table, and the problems of its
    header."""
    columns: dict[str, int] = {}
    problems: list[Finding] = []
    for fact, headers in {"team": ("team",), **HEADERS}.items():
        column, twice = tables.find_column(table, headers)
        problems += twice
        if column is not None:
            columns[fact] = column
    if "team" not in columns:
        problems.append(tables.missing_column(table, "the team", ["team"]))
    if not columns.keys() & HEADERS.keys():
        problems.append(tables.missing_column(table, "any fact", [*HEADERS][:3]))
    return columns, problems


def with_sizes(
    challenge: Challenge[Any, Any],
    teams: Mapping[str, Any],
    options: Mapping[str, Values],
    facts: Mapping[str, TeamFacts],
) -> Mapping[str, Values]:
    """Return the options of each team. If the challenge scores model sizes and a team sent no model, the
    size is taken from the team's facts.

    Args:
        teams: Predictions by team.
        options: Options by team; a size in them is used if the facts have none.

    Raises:
        InputRefused: With `bad-team-fact`, if a size differs from the team's model file, or if two different
            sizes are given.
    """
    size = challenge.comparison.size
    if size is None:
        return options
    option = size.option
    models = {name: team.model["size_mib"] for name, team in teams.items() if team.model is not None}
    typed = {name: own[option] for name, own in options.items() if own.get(option) is not None}
    wrong = [*not_of_models(facts, models), *_contradicted(facts, typed, GIVEN_TWICE)]
    if wrong:
        raise InputRefused(wrong)
    sizes = {
        name: {option: fact.size_mib}
        for name, fact in facts.items()
        if fact.size_mib is not None and name not in models and name not in typed
    }
    return {name: {**options.get(name, {}), **sizes.get(name, {})} for name in teams}


def scored_facts(spec: ComparisonSpec, card: ScoreCard, typed: TeamFacts | None) -> TeamFacts:
    """Return the facts of a team, with the size from the card if it affects the score."""
    facts = typed or UNKNOWN
    if spec.size is None:
        return facts
    return replace(facts, size_mib=card.more["model_size_mib"])


def not_of_models(facts: Mapping[str, TeamFacts], sizes: Mapping[str, float]) -> Iterator[Finding]:
    """Yield a finding `bad-team-fact` for each size in `facts` that differs from the team's model file.
    `sizes` are the sizes of these files in MiB."""
    yield from _contradicted(facts, sizes, OF_A_MODEL)


def _contradicted(
    facts: Mapping[str, TeamFacts], known: Mapping[str, float], message: str
) -> Iterator[Finding]:
    """Yield `bad-team-fact` for sizes that differ from the known sizes."""
    for team, size in known.items():
        claimed = facts.get(team, UNKNOWN).size_mib
        if claimed is not None and abs(claimed - size) > ROUNDING_MIB:
            yield error("bad-team-fact", f"{team}, {LABELS['size_mib']}", message.format(size, claimed))
