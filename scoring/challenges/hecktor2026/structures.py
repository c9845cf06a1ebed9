"""Joins masks that have GTVp and GTVn in separate files to one label map per patient."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

from scoring.challenges.hecktor2026.formula import STRUCTURES
from scoring.common.findings import InputRefused
from scoring.common.strict_json import strict_loads
from scoring.inputs.masks.joined import joined_mask
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS, stem_of
from scoring.inputs.sources import SourceFiles

STRUCTURE = re.compile(
    r"(|.*?[^ _.-])[ _.-]*+(?:(?:label|desc)-)?GTV[-_]?([pn])(?:_(?:mask|dseg))?", re.IGNORECASE | re.DOTALL
)
OF_SUBJECT, OF_LABELS = re.compile(r"sub-(.+)"), re.compile(r".+_(?:dseg|mask)")
"""Patterns of the BIDS names of a patient's folder, and of a mask in this folder (bids-specification,
derivatives)."""
LABELS = {"p": STRUCTURES["gtvp"][1], "n": STRUCTURES["gtvn"][1]}
LIST, LIST_BYTES = "-meta.json", 100_000
"""How the name of the file ends in which dcmqi lists the segments of masks in its folder; and maximum bytes
of this file."""
PLACES = ("masks", "output", "images")
"""Names of folders that are not names of patients."""


def is_exchanged(names: Collection[tuple[str, str]]) -> bool:
    """Return whether label names show that the numbers of GTVp (1) and GTVn (2) are exchanged."""
    found = {(match[2].lower(), number) for name, number in names if (match := STRUCTURE.fullmatch(name))}
    return bool(found & {("p", "2"), ("n", "1")})


def subject_of(member: str) -> str | None:
    """Return the patient of a mask whose name follows the BIDS standard; None for other files. Such a mask
    lies in a folder sub-<patient>, and its name begins with the name of the folder."""
    *folders, name = PurePosixPath(member).parts
    matches = (OF_SUBJECT.fullmatch(folder) for folder in folders if name.startswith(f"{folder}_"))
    is_mask = OF_LABELS.fullmatch(stem_of(name) or "")
    return next((match[1] for match in matches if match), None) if is_mask else None


def by_subject(members: Iterable[str], masks: dict[str, list[str]]) -> list[str]:
    """Add the masks whose names follow the BIDS standard to `masks`, by patient. Return all other files."""
    others = []
    for member in members:
        subject = subject_of(member)
        if subject and structure_of(stem_of(PurePosixPath(member).name) or "") is None:
            masks.setdefault(subject, []).append(member)
        else:
            others.append(member)
    return others


def structure_of(stem: str) -> str | None:
    """Return the part of a name before its suffix GTVp or GTVn; "" if the name consists of the suffix. None
    for a name without such a suffix."""
    match = STRUCTURE.fullmatch(stem)
    return match[1] if match else None


def join_structures(files: SourceFiles) -> tuple[SourceFiles, Mapping[str, tuple[str, ...]]]:
    """Join the separate masks of GTVp and GTVn of each patient.

    Nothing is joined unless each single-structure mask belongs to a patient and most patients have both. A
    missing structure counts as empty. Voxels in both structures become GTVp.

    Returns:
        The files, with joined masks, and the original files of each joined mask.
    """
    tops = {member.split("/")[0] for member in files.members}
    top = f"{tops.pop()}/" if len(tops) == 1 and all("/" in member for member in files.members) else ""
    numbered = _numbered(files)
    parts = _parts(files.members, top, {mask: name for mask, (name, _) in numbered.items()})
    both = sum(len(members) == len(LABELS) for members in parts.values())
    if not both or 2 * both < len(parts):
        return files, {}
    parts_of_pairs = {member for members in parts.values() for member in members.values()}
    joined_members = {f"{top}{patient}.mha": members for patient, members in parts.items()}
    if joined_members.keys() & files.sizes.keys():
        return files, {}
    openers = {
        name: {LABELS[kind]: partial(files.open, member) for kind, member in sorted(members.items())}
        for name, members in joined_members.items()
    }
    lists = {mask: (listing,) for mask, (_, listing) in numbered.items() if mask in parts_of_pairs}
    used = parts_of_pairs.union(*lists.values())
    sizes = {member: size for member, size in files.sizes.items() if member not in used}
    sizes |= {name: sum(files.sizes[m] for m in members.values()) for name, members in joined_members.items()}
    joined = replace(
        files,
        sizes=dict(sorted(sizes.items())),
        open=lambda member: joined_mask(openers[member]) if member in openers else files.open(member),
    )
    return joined, {
        name: tuple(dict.fromkeys(part for m in members.values() for part in (m, *lists.get(m, ()))))
        for name, members in joined_members.items()
    }


def _parts(members: Iterable[str], top: str, numbered: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    """Return the member of each structure of each patient; nothing if two are of one, or one of nobody. A
    patient is the first folder below `top`, else what is before the structure, else the file."""
    parts: dict[str, dict[str, str]] = {}
    for member in members:
        *folders, name = PurePosixPath(member.removeprefix(top)).parts
        stem = stem_of(name) or ""
        folders = [folder for folder in folders if folder.lower() not in PLACES]
        match = STRUCTURE.fullmatch(numbered.get(member, stem))
        of_folder = STRUCTURE.fullmatch(folders[0]) if folders else None
        if match:
            patient = subject_of(member) or (folders[0] if folders else match[1])
        elif of_folder and not of_folder[1]:
            patient, match = stem, of_folder
        else:
            continue
        kind = match[2].lower()
        if not patient or kind in parts.setdefault(patient, {}):
            return {}
        parts[patient][kind] = member
    return parts


def _numbered(files: SourceFiles) -> Mapping[str, tuple[str, str]]:
    """Return the masks of one segment each that dcmqi numbers, and names for them that end in the structure
    that the list beside them, "<name>-meta.json", gives each number; and these lists."""
    sizes = files.sizes
    lists = [m for m in files.members if m.lower().endswith(LIST) and sizes[m] <= LIST_BYTES]
    names: dict[str, tuple[str, str]] = {}
    for member in lists:
        start = member[: -len(LIST)]
        try:
            segments = strict_loads(files.read(member))["segmentAttributes"]
            labels = [[str(one.get("SegmentLabel")) for one in of_file] for of_file in segments]
        except (InputRefused, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        for number, of_file in enumerate(labels, 1):
            of_number = (f"{start}-{number}{ending}" for ending in MASK_ENDINGS)
            if len(of_file) == 1 and (mask := next((m for m in of_number if m in sizes), None)):
                names[mask] = f"{PurePosixPath(start).name}_{of_file[0]}", member
    return names
