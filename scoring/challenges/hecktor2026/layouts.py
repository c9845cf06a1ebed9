"""What lies where in a test set or a submission: masks, images, tables and a container's answers, by
patient."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from scoring.common.findings import InputRefused, error
from scoring.inputs.sources import SourceFiles

MASK_ENDINGS = (".nii.gz", ".nii", ".mha")
TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".xlsx")
ANSWERS = {"t-stage.json": "t", "n-stage.json": "n", "rfs.json": "time"}
"""A container's files of one value each, and what they answer."""
SEGMENTATION = "head-neck-tumor-segmentation"
IMAGES = ("CT", "PT")


@dataclass(frozen=True)
class Layout:
    """Members of a source. masks: all that claim to be a patient's mask. images: CT and PT of a patient.
    answers: a container's JSON by what it answers.

    tables: those at the top level. elsewhere: files that end as masks do and lie where none is looked for.
    """

    masks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    images: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubmissionLayout:
    """A source that was opened. layout: what lies where in it. digest: SHA-256 of what was read."""

    files: SourceFiles
    layout: Layout
    digest: str | None = None

    @property
    def name(self) -> str:
        """What messages call the source."""
        return self.files.name

    def digested(self, members: Iterable[str]) -> "SubmissionLayout":
        """Return the same with the SHA-256 of these members."""
        return replace(self, digest=self.files.digest_of(members))


def classify_members(files: SourceFiles, container: bool) -> Layout:
    """Sort the members of a source; unknown files are left out. container: whether a container's output is
    looked for.

    Raises InputRefused (`unreadable-file`) for a single file that is no table.
    """
    if files.kind == "file":
        if not files.name.lower().endswith(TABLE_ENDINGS):
            raise InputRefused(
                [
                    error(
                        "unreadable-file",
                        files.name,
                        "it is neither a folder, nor a zip, nor a table (.csv, .xlsx).",
                    )
                ]
            )
        return Layout(tables=files.members)
    masks: dict[str, list[str]] = {}
    images: dict[str, dict[str, str]] = {}
    answers: dict[str, dict[str, str]] = {}
    tables, elsewhere = [], []
    inside = _enclosing(files.members)
    for member in files.members:
        parts = member.removeprefix(inside).split("/")
        stem = stem_of(parts[-1])
        if len(parts) == 1 and parts[0].lower().endswith(".csv"):
            tables.append(member)
        elif container and parts[-1] in ANSWERS and _in_container(parts, ()):
            answers.setdefault(parts[0], {})[ANSWERS[parts[-1]]] = member
        elif stem is not None:
            patient, mark, kind = stem.rpartition("__")
            if mark and patient and kind in IMAGES:
                images.setdefault(patient, {})[kind] = member
            elif container and _in_container(parts, ("images", SEGMENTATION)):
                masks.setdefault(parts[0], []).append(member)
            elif parts[:-1] in ([], ["masks"], [stem]):
                masks.setdefault(stem, []).append(member)
            else:
                elsewhere.append(member)
    return Layout(
        {patient: tuple(found) for patient, found in masks.items()},
        images,
        answers,
        tuple(tables),
        tuple(elsewhere),
    )


def stem_of(name: str) -> str | None:
    """Return a file's name without the ending of a mask; None where it has none, or nothing else."""
    ending = next((e for e in MASK_ENDINGS if name.lower().endswith(e)), "")
    return name[: -len(ending)] or None if ending else None


def _enclosing(members: Iterable[str]) -> str:
    """Return the one folder that holds everything, with `/`, to be looked through; "" where there is none, or
    it is a patient's in a container's layout."""
    places = [PurePosixPath(member).parts for member in members]
    first = {parts[0] for parts in places}
    if len(first) != 1 or any(len(parts) < 2 for parts in places):
        return ""
    below = {parts[1] for parts in places}
    return "" if below & {"output", "images", *ANSWERS} else f"{first.pop()}/"


def _in_container(parts: list[str], wanted: tuple[str, ...]) -> bool:
    """Return whether the folders of a member are a patient's and below it the wanted ones, directly or below
    `output`."""
    return len(parts) > 1 and tuple(parts[1:-1]) in (wanted, ("output", *wanted))
