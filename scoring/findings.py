"""What was noticed about an input: errors that refuse it, warnings and notes that travel with the result."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

LEVELS = ("error", "warning", "note")
LINES_PER_CODE = 20


@dataclass(frozen=True)
class Finding:
    """One thing that was noticed.

    level: "error", "warning" or "note". code: kebab-case and stable. where: `file:line`, a case id, a class
    or a file's name. message: what is wrong, with case and column, and how to mend it; for people, in one or
    two sentences.
    """

    level: str
    code: str
    where: str
    message: str

    def __post_init__(self):
        if self.level not in LEVELS:
            raise ValueError(f"unknown level {self.level!r}")

    def as_dict(self) -> dict[str, str]:
        """The entry of `problems` and `findings` in JSON."""
        return asdict(self)


def error(code: str, where: str, message: str) -> Finding:
    return Finding("error", code, where, message)


def warning(code: str, where: str, message: str) -> Finding:
    return Finding("warning", code, where, message)


def note(code: str, where: str, message: str) -> Finding:
    return Finding("note", code, where, message)


class InputRefused(Exception):
    """The input cannot be scored. `problems` holds every error that was found, `findings` the warnings and
    notes met on the way.

    `salvaged`, where there is one, is what could be read all the same: other inputs can be matched to it, so
    that their problems are listed in the same answer. It is never scored.
    """

    def __init__(
        self, problems: Iterable[Finding], findings: Iterable[Finding] = (), salvaged: object = None
    ):
        self.problems, self.findings, self.salvaged = tuple(problems), tuple(findings), salvaged
        super().__init__("; ".join(f"{p.code} {p.where}: {p.message}" for p in self.problems))


def ordered(entries: Iterable[Finding], codes: Sequence[str]) -> list[Finding]:
    """Errors first, then by the order of `codes`, others last; within a code as found."""
    rank = {code: i for i, code in enumerate(codes)}
    return sorted(entries, key=lambda e: (e.level != "error", rank.get(e.code, len(codes))))


def split(entries: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Errors, and everything else; the order is kept."""
    entries = list(entries)
    return [e for e in entries if e.level == "error"], [e for e in entries if e.level != "error"]


def lines(entries: Iterable[Finding], most: int = LINES_PER_CODE) -> Iterator[str]:
    """One line each, `level code where: message`; after `most` lines of a code "and N more"."""
    entries = list(entries)
    count: dict[tuple[str, str], int] = {}
    total: dict[tuple[str, str], int] = {}
    for entry in entries:
        total[entry.level, entry.code] = total.get((entry.level, entry.code), 0) + 1
    for entry in entries:
        key = entry.level, entry.code
        count[key] = count.get(key, 0) + 1
        if count[key] <= most:
            yield f"{entry.level} {entry.code} {entry.where}: {entry.message}"
        elif count[key] == most + 1:
            yield f"{entry.level} {entry.code} and {total[key] - most} more"
