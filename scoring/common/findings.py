"""Findings about an input; `InputRefused`, the exception with every problem of a refused file; and groups of
repeated findings."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from scoring.common.fixes import InputChanges, SuggestedFix

LEVELS = ("error", "warning", "note")
LINES_PER_CODE = 20
SMALL_CLASS = 15
"""Minimum number of cases of a class or group for a valid interval (finding `few-cases-in-class`)."""
OF_SMALL_SETS = frozenset({"few-cases-in-class", "few-units", "few-events"})
"""Codes of findings whose only reason is a small test set."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An observation about an input.

    Attributes:
        level: `error`, `warning` or `note`.
        code: Kind of the finding, such as `missing-value`. Codes do not change between versions.
        where: Location of the finding: `file:line`, a case id, a class or the name of a file.
        message: One or two sentences: what is wrong, in which case and column, and how to fix it.
        fixes: Changes that Benchside can make itself; each alone fixes the problem. They are not written to
            JSON.
    """

    level: str
    code: str
    where: str
    message: str
    fixes: tuple[SuggestedFix, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise ValueError(f"unknown level {self.level!r}")

    def as_dict(self) -> dict[str, str]:
        """Return the finding as an entry of the JSON lists `problems` and `findings`."""
        return {"level": self.level, "code": self.code, "where": self.where, "message": self.message}

    def with_fixes(self, *fixes: SuggestedFix) -> "Finding":
        """Return a copy of the finding with more fixes."""
        return replace(self, fixes=(*self.fixes, *fixes))

    def of_team(self, team: str) -> "Finding":
        """Return a copy of the finding whose fixes change the file of the given team."""
        of_all = (fix for fix in self.fixes if not fix.changes.submitted_only)  # teams share their cases
        return replace(self, fixes=tuple(replace(fix, team=team) for fix in of_all))


def error(code: str, where: str, message: str) -> Finding:
    """Return an error: a finding for which the input is refused.

    Args:
        code: Kind of finding, in kebab-case.
        where: `file:line`, a case id, a class or a file's name.
    """
    return Finding("error", code, where, message)


def warning(code: str, where: str, message: str) -> Finding:
    """Return a warning: a finding that makes the result doubtful.

    Args:
        code: Kind of finding, in kebab-case.
        where: `file:line`, a case id, a class or a file's name.
    """
    return Finding("warning", code, where, message)


def note(code: str, where: str, message: str) -> Finding:
    """Return a note: a finding that is useful to know and changes nothing.

    Args:
        code: Kind of finding, in kebab-case.
        where: `file:line`, a case id, a class or a file's name.
    """
    return Finding("note", code, where, message)


class Cancelled(Exception):
    """Raised if the caller has cancelled the work."""


class InputRefused(Exception):
    """Raised if the input cannot be scored.

    Attributes:
        findings: Warnings and notes about the same input.
        salvaged: The part that could be read, or None. It is never scored, but other files are checked
            against it, so that one answer lists the problems of all files.
    """

    def __init__(
        self, problems: Iterable[Finding], findings: Iterable[Finding] = (), salvaged: object = None
    ) -> None:
        self.problems, self.findings = tuple(dict.fromkeys(problems)), tuple(findings)
        self.salvaged = salvaged
        super().__init__()

    def __str__(self) -> str:
        return "; ".join(f"{p.code} {p.where}: {p.message}" for p in self.problems)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to restore the exception in another process. By default only its text would be passed
        on."""
        return type(self), (self.problems, self.findings, self.salvaged), self.__dict__


class ProblemCollector:
    """Collects problems and findings of several inputs, so that one answer lists everything once."""

    def __init__(self) -> None:
        self.problems: list[Finding] = []
        self.findings: list[Finding] = []

    def attempt(self, read: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Call `read` and return its result. If it raises InputRefused, record the problems and return the
        readable part; None if there is none."""
        try:
            result = read(*arguments, **options)
        except InputRefused as refused:
            self.add(refused.problems, refused.findings)
            return refused.salvaged
        self.add((), result.findings)
        return result

    def add(self, problems: Iterable[Finding], findings: Iterable[Finding]) -> None:
        """Add problems, and those findings that are not yet included."""
        self.problems = [*dict.fromkeys([*self.problems, *problems])]
        known = set(self.findings)
        self.findings += [f for f in findings if f not in known]

    def raise_problems(self) -> None:
        """Raise InputRefused if there are problems."""
        if self.problems:
            raise InputRefused(self.problems, self.findings)


def ordered(entries: Iterable[Finding], codes: Sequence[str]) -> list[Finding]:
    """Sort findings: errors first, then by code; findings with the same code keep their order.

    Args:
        codes: Codes in the order in which findings are sorted; other codes come last.
    """
    rank = {code: i for i, code in enumerate(codes)}
    return sorted(entries, key=lambda e: (e.level != "error", rank.get(e.code, len(codes))))


def split(entries: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Split findings into errors and others (warnings and notes). The order of the findings is kept."""
    entries = list(entries)
    return [e for e in entries if e.level == "error"], [e for e in entries if e.level != "error"]


def lines(entries: Iterable[Finding], most: int = LINES_PER_CODE) -> Iterator[str]:
    """Yield findings as lines of text, `level code where: message`.

    Args:
        most: Maximum number of lines per level and code. A further line says "and N more".
    """
    entries = list(entries)
    total = Counter((entry.level, entry.code) for entry in entries)
    count: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        key = entry.level, entry.code
        count[key] += 1
        if count[key] <= most:
            yield f"{entry.level} {entry.code} {entry.where}: {entry.message}"
        elif count[key] == most + 1:
            yield f"{entry.level} {entry.code} and {total[key] - most} more"


@contextmanager
def writing(target: object, where: str) -> Iterator[None]:
    """Context manager that raises InputRefused (`bad-option`) if writing within it fails.

    Args:
        target: The file or folder to write.
        where: The option or setting that names the target.
    """
    try:
        yield
    except OSError as problem:
        message = f"{target} cannot be written: {problem.strerror}."
        raise InputRefused([error("bad-option", where, message)]) from problem


COMPARED = 200
"""Maximum number of findings of a kind whose texts are compared."""
GROUPED_FROM = 4
"""From this number on, findings of a kind form one group."""
NAMED = 5
"""Maximum number of different items that a group names."""
ALTERNATIVES = 4
"""Maximum number of fixes that are offered side by side."""
WORDS = re.compile(r"\s+")
HEADS = {
    "missing-column": "{n} columns are missing",
    "extra-column": "{n} columns are not expected",
    "duplicate-column": "{n} columns occur more than once",
    "missing-case": "{n} cases have no prediction",
    "extra-case": "{n} rows belong to no case of the test set",
    "duplicate-case": "{n} entries repeat a case",
    "row-length": "{n} rows have another number of cells than the header",
    "missing-value": "{n} rows have a missing value",
    "not-a-number": "{n} rows hold text such as {quoted} where a number is needed",
    "not-finite": "{n} rows hold an infinite number",
    "out-of-range": "{n} rows hold numbers out of range",
    "bad-label": "{n} labels are unknown",
    "image-missing": "{n} images are missing",
    "image-unreadable": "{n} images cannot be read",
    "absent-class": "{n} classes have no case",
    "never-predicted": "{n} classes are never predicted",
    "few-cases-in-class": "{n} classes have few cases",
}
"""Code -> start of the message that stands for several findings with this code."""
NAMING = {"unknown-class": "Unknown classes"}
"""Code -> what the first quoted text in its messages is. A group of findings lists these texts before the
locations."""
STOP = re.compile(r"[:;,(]|[.?!] ")
QUOTED = re.compile(r"""(['"])(.+?)\1""")


@dataclass(frozen=True)
class FindingGroup:
    """Findings with the same level and code.

    Attributes:
        where: Location of the finding, or the common part of the locations of several findings.
        message: Message of the finding, or one message for several findings.
    """

    level: str
    code: str
    where: str
    message: str
    entries: tuple[Finding, ...]

    @property
    def fixes(self) -> tuple[SuggestedFix, ...]:
        """Fixes for any of the findings, without duplicates. If there are many findings, their first fixes
        are joined to a single fix."""
        each = distinct(fix for entry in self.entries for fix in entry.fixes)
        if len(each) <= ALTERNATIVES:
            return each
        whole = InputChanges()
        for entry in self.entries:
            whole = whole.joined(entry.fixes[0].changes) if entry.fixes else whole
        as_one = whole and whole == whole.of_files and not any(fix.team for fix in each)
        return (SuggestedFix(whole.command(), whole),) if as_one else each[:ALTERNATIVES]


def grouped(entries: Iterable[Finding]) -> list[FindingGroup]:
    """Group findings by level and code, worst level first and codes in order of appearance. Findings of small
    groups stay separate."""
    by_kind: dict[tuple[str, str], list[Finding]] = {}
    for entry in sorted(entries, key=lambda entry: LEVELS.index(entry.level)):
        by_kind.setdefault((entry.level, entry.code), []).append(entry)
    groups: list[FindingGroup] = []
    for (level, code), alike in by_kind.items():
        if len(alike) < GROUPED_FROM:
            groups += [FindingGroup(level, code, entry.where, entry.message, (entry,)) for entry in alike]
        else:
            groups.append(_grouped(level, code, alike))
    return groups


def distinct(fixes: Iterable[SuggestedFix]) -> tuple[SuggestedFix, ...]:
    """Return fixes that change something, without duplicates."""
    usable = [fix for fix in fixes if fix.label and (fix.changes or fix.option)]
    return tuple({(fix.changes, fix.option, fix.team): fix for fix in usable}.values())


def tally(entries: Iterable[Finding]) -> str:
    """Count findings by level: "3 errors, 1 warning"."""
    count = Counter(entry.level for entry in entries)
    return ", ".join(
        f"{count[level]:,} {level}{'s' * (count[level] > 1)}" for level in LEVELS if count[level]
    )


def _grouped(level: str, code: str, group: Sequence[Finding]) -> FindingGroup:
    places = list(dict.fromkeys(entry.where for entry in group))
    where = _shared_place(places)
    items, end = _differing([entry.message for entry in group[:COMPARED]])
    if len(places) > 1:
        items = [location.removeprefix(where).lstrip(":") for location in places]
    if code in NAMING and QUOTED.search(group[0].message):
        quoted = [match[0] for entry in group if (match := QUOTED.search(entry.message))]
        at = f"They occur in {len(places):,} places: {_some(items)}. " if len(places) > 1 else ""
        message = f"{NAMING[code]}: {_some(list(dict.fromkeys(quoted)))}. {at}{end}"
        return FindingGroup(level, code, where, message.strip(), tuple(group))
    lines = bool(where) and len(places) > 1 and all(item.isdigit() for item in items)
    named = _some(items)
    listed = f"{'lines ' * lines}{named}"
    if code in HEADS:
        found = QUOTED.search(group[0].message)
        head = HEADS[code].format(n=f"{len(group):,}", quoted=found[0] if found else "this")
        message = f"{head}{': ' * bool(named)}{listed}. {end}"
    else:
        message = f"{group[0].message} There are {len(group):,} such findings{': ' * bool(named)}{listed}."
    return FindingGroup(level, code, where, message.strip(), tuple(group))


def _some(items: Sequence[str]) -> str:
    """Name the first items, and say how many more there are."""
    return ", ".join(items[:NAMED]) + (f" and {len(items) - NAMED:,} more" if len(items) > NAMED else "")


def _shared_place(places: Sequence[str]) -> str:
    """Return the place of all, or the file where they are lines of one; "" if they have none in common."""
    files = {location.rpartition(":")[0] for location in places}
    return places[0] if len(places) == 1 else files.pop() if len(files) == 1 else ""


def _differing(messages: Sequence[str]) -> tuple[list[str], str]:
    """Return the first word in which each message differs from the others, what follows it up to a stop where
    that word does not tell them apart, and the sentences that all end with."""
    rows = [WORDS.split(message) for message in messages]
    shortest = min(map(len, rows))
    first = next((i for i in range(shortest) if len({row[i] for row in rows}) > 1), shortest)
    items = list(dict.fromkeys(row[first].strip("'\".,:;") for row in rows if len(row) > first))
    if len(items) < len(set(messages)):
        after = [" ".join(row[first:]) for row in rows if len(row) > first]
        items = list(dict.fromkeys(STOP.split(text)[0].strip("'\". ") for text in after))
    sentences = [re.split(r"(?<=[.?!]) (?=[A-Z])", message) for message in messages]
    ending: list[str] = []
    for same in zip(*(reversed(parts) for parts in sentences), strict=False):
        if len(set(same)) > 1:
            break
        ending.insert(0, same[0])
    return items if first < shortest else [], " ".join(ending)
