"""Which file holds the nuclei of which case, and what is in it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import numpy as np

from scoring.challenges.puma import names
from scoring.challenges.puma.names import Naming
from scoring.common.findings import Finding, InputRefused, error, note, warning
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.inputs.nuclei import Nuclei, NucleiFile, counted, positions, read_nuclei
from scoring.inputs.sources import SourceFiles, sha256

ENDINGS = (".geojson", ".json")
SUFFIX = "_nuclei"
TISSUE = "_tissue"
UNKNOWN_NAMES = 20
SHOWN = 5
LEAVE_OUT = SuggestedFix(
    "Leave out nuclei of other classes", InputChanges(options=(("unknown_classes", "ignore"),))
)


@dataclass(frozen=True)
class CaseFiles:
    """What was read of several files, in their order. digest_of: SHA-256 by member. problems: errors of all
    of them."""

    contents: tuple[NucleiFile, ...]
    digest_of: Mapping[str, str]
    problems: tuple[Finding, ...]
    findings: tuple[Finding, ...]

    @property
    def names(self) -> Counter[str]:
        """Class names as written -> nuclei."""
        return sum((Counter(found.names) for found in self.contents), Counter())

    @property
    def nuclei(self) -> tuple[Nuclei, ...]:
        return tuple(found.nuclei for found in self.contents)


def case_id(name: str) -> str:
    """Return the case that a file is of: its name without folder, ending and a final `_nuclei`."""
    base = PurePosixPath(name).name
    ending = next((ending for ending in ENDINGS if base.lower().endswith(ending)), "")
    return base[: len(base) - len(ending)].removesuffix(SUFFIX)


def is_nuclei_file(member: str) -> bool:
    """Return whether a name is that of a file of nuclei: JSON, and not of tissue."""
    path = PurePosixPath(member)
    return path.suffix.lower() in ENDINGS and not path.stem.endswith(TISSUE)


def by_case(files: SourceFiles, members: Iterable[str]) -> tuple[dict[str, str], list[Finding]]:
    """Return the first member of each case, and `duplicate-case` for those of several."""
    found: dict[str, list[str]] = {}
    for member in members:
        found.setdefault(case_id(member), []).append(member)
    twice = [
        error(
            "duplicate-case",
            files.called(several[1]),
            f"case {case} has {len(several)} files ({', '.join(several[:SHOWN])}): keep one.",
        )
        for case, several in found.items()
        if len(several) > 1
    ]
    return {case: several[0] for case, several in found.items()}, twice


def read_cases(files: SourceFiles, members: Iterable[str], naming: Naming, graded: bool) -> CaseFiles:
    """Read files of nuclei, one by one. naming: what becomes of other class names. graded: whether
    confidences are read."""
    contents: list[NucleiFile] = []
    digest_of: dict[str, str] = {}
    problems: list[Finding] = []
    findings: list[Finding] = []
    for member in members:
        where = files.called(member)
        try:
            data = files.read(member)
        except InputRefused as refusal:
            problems += refusal.problems
            contents.append(NucleiFile(Nuclei.empty()))
            continue
        digest_of[member] = sha256(data)
        found = read_nuclei(
            data, where, naming.position, graded, left_out="left out, as the official evaluator does."
        )
        unknown = list(_unknown(found, where, naming))
        problems += [*found.problems, *(entry for entry in unknown if entry.level == "error")]
        findings += [*found.findings, *(entry for entry in unknown if entry.level != "error")]
        contents.append(found)
    return CaseFiles(tuple(contents), digest_of, tuple(problems), tuple(findings))


def in_place(files: CaseFiles, sizes: np.ndarray, places: Iterable[str]) -> CaseFiles:
    """Return the same with `out-of-image` of each file, by its image's size."""
    beyond = [
        entry
        for found, size, where in zip(files.contents, sizes, places, strict=True)
        for entry in outside(found, size, where)
    ]
    return replace(files, findings=(*files.findings, *beyond))


def outside(contents: NucleiFile, size: np.ndarray, where: str) -> Iterator[Finding]:
    """`out-of-image` for centroids outside an image of `size` (width, height, px)."""
    nuclei = contents.nuclei
    beyond = nuclei.outside(size)
    if beyond.any():
        numbers = nuclei.numbers[beyond]
        x, y = nuclei.centroids[beyond][0]
        yield warning(
            "out-of-image",
            where,
            f"{counted(numbers)} of {len(nuclei):,} outside the image of {size[0]} x {size[1]} px "
            f"({positions(contents.key, numbers)}; the "
            f"first at {x:g}, {y:g}): scored all the same.",
        )


def ignored(files: SourceFiles, members: Iterable[str]) -> Iterator[Finding]:
    """`ignored-files` for members that nothing was read from."""
    members = list(members)
    if members:
        shown = ", ".join(members[:SHOWN]) + (", ..." if len(members) > SHOWN else "")
        yield note(
            "ignored-files",
            files.name,
            f"{len(members):,} other file{'s' * (len(members) > 1)} not read: {shown}.",
        )


def _unknown(contents: NucleiFile, where: str, naming: Naming) -> Iterator[Finding]:
    unknown = contents.unknown or {}
    for name in list(unknown)[:UNKNOWN_NAMES]:
        alike = names.variant(name)
        hint = f" Did you mean {alike!r}?" if alike else ""
        said = f"{counted(unknown[name])} of class {_quoted(name)} ({positions(contents.key, unknown[name])})"
        yield _graded(naming.ignores(name), where, f"{said}, which is none of the ten.{hint}")
    for ignored_too in (True, False):
        others = [name for name in list(unknown)[UNKNOWN_NAMES:] if naming.ignores(name) == ignored_too]
        if others:
            nuclei = sum(len(unknown[name]) for name in others)
            said = f"{nuclei:,} nuclei of {len(others):,} other classes, which are none of the ten."
            yield _graded(ignored_too, where, f"{said} The ten are {', '.join(names.CLASSES)}.")


def _graded(is_ignored: bool, where: str, said: str) -> Finding:
    if is_ignored:
        return warning("unknown-class", where, f"{said} Such nuclei are left out.")
    words = f"{said} Rename the class, map it to one of the ten, or leave such nuclei out."
    return error("unknown-class", where, words).mended_by(LEAVE_OUT)


def _quoted(name: str) -> str:
    return repr(name if len(name) <= 60 else name[:57] + "...")
