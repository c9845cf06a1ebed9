"""Job folders of Grand Challenge: what its evaluations get, read by case.

`predictions.json` lists the jobs of a submission. Each has a `pk`, the name of its folder, `inputs` with the
names of the images that it got, and its files lie below `<pk>/output/`. Here they are called by the case, the
name of the input image without ending: `<case>/output/...`, and `<case>.json` where a job wrote one JSON.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs.sources import SourceFiles

LISTING = "predictions.json"
LISTING_BYTES = 50_000_000
MODALITY = "__"
"""What parts the case from the kind of image: `case__CT.nii.gz`."""


def by_case(files: SourceFiles) -> tuple[SourceFiles, Mapping[str, str]]:
    """Return files called by their cases, and what each was called before; files without a list of jobs as
    they are.

    Args:
        files: A submission.

    Raises:
        InputRefused: `unreadable-file` or `duplicate-case` where a job's case cannot be told.
    """
    listing = _listing(files)
    jobs = _jobs(files, listing) if listing is not None else None
    if listing is None or not jobs:
        return files, {}
    place = listing.removesuffix(LISTING)
    case_of = dict(_cases(files.called(listing), jobs))
    original: dict[str, str] = {}
    for member in files.members:
        folder, _, below = member.removeprefix(place).partition("/")
        if folder in case_of and below.startswith("output/"):
            original[f"{case_of[folder]}/{below}"] = member
        elif folder not in case_of and member != listing:
            original[member] = member
    original = _with_lone_json(original, set(case_of.values()))
    sizes = {name: files.sizes[original[name]] for name in sorted(original)}
    return (
        replace(
            files,
            sizes=sizes,
            read=lambda member: files.read(original[member]),
            open=lambda member: files.open(original[member]),
        ),
        original,
    )


def _listing(files: SourceFiles) -> str | None:
    """Return the list of jobs: at the top, or in the one folder that holds everything."""
    if files.kind == "file":
        return None
    tops = {member.split("/")[0] for member in files.members}
    places = [LISTING, *(f"{top}/{LISTING}" for top in tops if len(tops) == 1)]
    return next((place for place in places if files.sizes.get(place, LISTING_BYTES) < LISTING_BYTES), None)


def _jobs(files: SourceFiles, listing: str) -> list[Mapping[str, Any]] | None:
    """Return the jobs, None where the file lists something else."""
    try:
        found = json.loads(files.read(listing))
    except (ValueError, RecursionError):
        return None
    is_jobs = isinstance(found, list) and all(
        isinstance(job, dict) and _is_folder(job.get("pk")) and isinstance(job.get("inputs"), list)
        for job in found
    )
    return found if is_jobs else None


def _is_folder(name: object) -> bool:
    return isinstance(name, str) and name not in ("", ".", "..") and not set(name) & set("/\\\0")


def _cases(where: str, jobs: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield folder and case of every job. Raises InputRefused with every problem."""
    problems: list[Finding] = []
    cases: dict[str, str] = {}
    for job in jobs:
        names = {name for entry in job["inputs"] for name in _image(entry)}
        if len(names) > 1:  # CT and PET of one patient
            names = {name.rpartition(MODALITY)[0] or name for name in names}
        if len(names) == 1:
            cases[job["pk"]] = names.pop()
        else:
            found = f"several ({', '.join(sorted(names)[:3])})" if names else "none"
            words = (
                f"the inputs of job {job['pk'][:40]!r} should name the image of one case, they name {found}."
            )
            problems.append(error("unreadable-file", where, words))
    for case, count in Counter(cases.values()).items():
        if count > 1:
            words = f"{count} jobs have the case {case}: keep one."
            problems.append(error("duplicate-case", where, words))
    if problems:
        raise InputRefused(problems)
    yield from cases.items()


def _image(entry: object) -> Iterator[str]:
    """Yield the name of an input's image without ending, if it is an image."""
    image = entry.get("image") if isinstance(entry, dict) else None
    name = image.get("name") if isinstance(image, dict) else None
    if isinstance(name, str):
        base = PurePosixPath(name.replace("\\", "/")).name
        stem = PurePosixPath(base[:-3] if base.lower().endswith(".nii.gz") else base).stem
        if _is_folder(stem):
            yield stem


def _with_lone_json(original: Mapping[str, str], cases: set[str]) -> dict[str, str]:
    """Return the same, but the JSON of each case that has one called by the case."""
    answers = [name for name in original if name.split("/")[0] in cases and name.lower().endswith(".json")]
    count = Counter(name.split("/")[0] for name in answers)
    lone = {name for name in answers if count[name.split("/")[0]] == 1}
    return {
        f"{name.split('/')[0]}.json" if name in lone else name: member for name, member in original.items()
    }
