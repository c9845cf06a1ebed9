"""Findings about an input, and `InputRefused`, which carries every problem of a refused file."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from scoring.common.fixes import SuggestedFix

LEVELS = ("error", "warning", "note")
LINES_PER_CODE = 20
SMALL_CLASS = 15
"""Minimum cases of a class or group for an honest interval (finding `few-cases-in-class`)."""
OF_SMALL_SETS = frozenset({"few-cases-in-class", "few-units", "few-events"})
"""Codes that only mean that a test set is small."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An observation about an input.

    Attributes:
        level: `error`, `warning` or `note`.
        code: Kind of the finding, such as `missing-value`. Codes do not change between versions.
        where: Location of the finding: `file:line`, a case id, a class or the name of a file.
        message: One or two sentences: what is wrong, in which case and column, and how to fix it.
        fixes: Changes that Benchside can make itself; one of them is sufficient. They are not written to
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
        """Return a copy of the finding for a team's file. Its fixes change that file."""
        of_all = (fix for fix in self.fixes if not fix.changes.submitted_only)  # teams share their cases
        return replace(self, fixes=tuple(replace(fix, team=team) for fix in of_all))


def error(code: str, where: str, message: str) -> Finding:
    """Make a finding that refuses the input.

    Args:
        code: Kind of finding, in kebab-case.
        where: `file:line`, a case id, a class or a file's name.
    """
    return Finding("error", code, where, message)


def warning(code: str, where: str, message: str) -> Finding:
    """Make a finding that makes the result doubtful.

    Args:
        code: Kind of finding, in kebab-case.
        where: `file:line`, a case id, a class or a file's name.
    """
    return Finding("warning", code, where, message)


def note(code: str, where: str, message: str) -> Finding:
    """Make a finding that is useful to know and changes nothing.

    Args:
        code: Kind of finding, in kebab-case.
        where: `file:line`, a case id, a class or a file's name.
    """
    return Finding("note", code, where, message)


class Cancelled(Exception):
    """Raised when the caller stopped the work."""


class InputRefused(Exception):
    """Raised when the input cannot be scored.

    Attributes:
        salvaged: The readable part, or None. It is never scored. Other files are checked against it, so that
            one answer lists the problems of all files.
    """

    def __init__(
        self, problems: Iterable[Finding], findings: Iterable[Finding] = (), salvaged: object = None
    ) -> None:
        self.problems, self.findings, self.salvaged = tuple(problems), tuple(findings), salvaged
        super().__init__()

    def __str__(self) -> str:
        return "; ".join(f"{p.code} {p.where}: {p.message}" for p in self.problems)

    def __reduce__(self) -> tuple[Any, ...]:
        """Let it cross between processes: by default only the text of an exception does."""
        return type(self), (self.problems, self.findings, self.salvaged), self.__dict__


class ProblemCollector:
    """Problems and findings of several inputs, so that one answer lists everything once."""

    def __init__(self) -> None:
        self.problems: list[Finding] = []
        self.findings: list[Finding] = []

    def attempt(self, read: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Return the result of `read`; if it refuses, the readable part."""
        try:
            result = read(*arguments, **options)
        except InputRefused as refused:
            self.add(refused.problems, refused.findings)
            return refused.salvaged
        self.add((), result.findings)
        return result

    def add(self, problems: Iterable[Finding], findings: Iterable[Finding]) -> None:
        """Add problems, and findings that are new."""
        self.problems += problems
        known = set(self.findings)
        self.findings += [f for f in findings if f not in known]

    def raise_problems(self) -> None:
        """Raise InputRefused if there are problems."""
        if self.problems:
            raise InputRefused(self.problems, self.findings)


def ordered(entries: Iterable[Finding], codes: Sequence[str]) -> list[Finding]:
    """Sort findings: errors first, then by code; findings with the same code keep their order.

    Args:
        codes: Codes in the wanted order; other codes come last.
    """
    rank = {code: i for i, code in enumerate(codes)}
    return sorted(entries, key=lambda e: (e.level != "error", rank.get(e.code, len(codes))))


def split(entries: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Return the errors, and the warnings and notes, each in the given order."""
    entries = list(entries)
    return [e for e in entries if e.level == "error"], [e for e in entries if e.level != "error"]


def lines(entries: Iterable[Finding], most: int = LINES_PER_CODE) -> Iterator[str]:
    """Yield findings as lines of text, `level code where: message`.

    Args:
        most: Maximum lines per level and code; then one line says "and N more".
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
    """Turn a failed write into the refusal `bad-option`.

    Args:
        target: The file or folder to write.
        where: The option or setting that names it.
    """
    try:
        yield
    except OSError as problem:
        message = f"{target} cannot be written: {problem.strerror}."
        raise InputRefused([error("bad-option", where, message)]) from problem
