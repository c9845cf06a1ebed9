"""Sockets of Grand Challenge: they decide which outputs of a job are the answer, and which input names the
case.

The organizer of a phase chooses the slugs of its sockets. `predictions.json` lists each job with the sockets
of its inputs and outputs, and gives the folder of each output below `output`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import shortened
from scoring.core.challenge_parts import Inputs
from scoring.inputs.grand_challenge_jobs import INPUTS, LISTING, LISTING_BYTES
from scoring.inputs.sources import SourceFiles

CASE, ANSWER = "case", "answer"
"""Names of two parts of a job: the input whose file name is the case, and the output of a challenge that has
a single JSON output."""
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
Job = Mapping[str, Any]


def parts(inputs: Inputs) -> dict[str, str | None]:
    """Return part -> default slug, for each part of `inputs` that a socket of Grand Challenge can contain;
    None if any slug is allowed."""
    usual = {part: PurePosixPath(path).name.removesuffix(".json") for part, path in inputs.outputs.items()}
    return {CASE: None, **(usual or {ANSWER: None})}


def problems(inputs: Inputs, sockets: Mapping[str, str]) -> list[Finding]:
    """Return the finding `bad-option` for every invalid socket.

    Args:
        sockets: Part -> slug.
    """
    known = ", ".join(parts(inputs))
    unknown = [
        error("bad-option", "--socket", f"{shortened(part, 40)!r} is not one of {known}.")
        for part in sockets
        if part not in parts(inputs)
    ]
    return [
        *unknown,
        *(
            error("bad-option", "--socket", f"{part}: {shortened(slug, 60)!r} is not a slug such as t-stage.")
            for part, slug in sockets.items()
            if not _SLUG.fullmatch(slug)
        ),
    ]


def answers(files: SourceFiles, inputs: Inputs, sockets: Mapping[str, str]) -> SourceFiles:
    """Return the files of a Grand Challenge submission in the form that the challenge reads.

    The list of inputs that the platform adds is left out. Of each job, only the chosen sockets remain: those
    of the outputs and of the case.

    Args:
        files: The content of `/input`.
        sockets: Part -> slug, for slugs that differ from the default.

    Raises:
        InputRefused: With `no-socket` for every missing socket.
    """
    files = replace(files, sizes={name: size for name, size in files.sizes.items() if name != INPUTS})
    jobs = _jobs(files)
    if not jobs:
        return files
    slugs = {part: slug for part, slug in (parts(inputs) | dict(sockets)).items() if slug}
    case, outputs = slugs.pop(CASE, None), slugs
    listing: list[Job] = []
    missing: list[tuple[str, str, Iterable[str]]] = []
    places: dict[str, dict[str, str]] = {}
    for job in jobs:
        listed = {_slug(value): value for value in job.get("outputs") or ()}
        if outputs and (listed or sockets):
            missing += [(part, slug, listed) for part, slug in outputs.items() if slug not in listed]
            known = {part: slug for part, slug in outputs.items() if slug in listed}
            places[job["pk"]] = {part: _place(listed[slug]) for part, slug in known.items()}
        named = [value for value in job["inputs"] if case in (None, _slug(value))]
        if not named:
            missing.append((CASE, str(case), map(_slug, job["inputs"])))
        listing.append({**job, "inputs": [_as_image(value) if case else value for value in named]})
    if missing:
        raise InputRefused(list(_lacking(missing, len(jobs))))
    original = dict(_members(files.members, places, inputs.outputs))
    text = json.dumps(listing).encode()
    sizes = {name: files.sizes[member] for name, member in sorted(original.items())} | {LISTING: len(text)}
    return replace(
        files,
        sizes=sizes,
        read=lambda name: text if name == LISTING else files.read(original[name]),
        open=lambda name: files.open(original[name]),
    )


def _jobs(files: SourceFiles) -> list[Job]:
    """Return the jobs of a submission; none where it is none of jobs, or its list cannot be read."""
    if files.sizes.get(LISTING, LISTING_BYTES) >= LISTING_BYTES:
        return []
    try:
        listed = json.loads(files.read(LISTING))
    except (ValueError, RecursionError):
        return []
    are_jobs = isinstance(listed, list) and all(
        isinstance(job, dict)
        and isinstance(job.get("pk"), str)
        and isinstance(job.get("inputs"), list)
        and isinstance(job.get("outputs", []), list)
        for job in listed
    )
    return listed if are_jobs else []


def _slug(value: Any) -> str:
    interface = value.get("interface") if isinstance(value, dict) else None
    return str(interface.get("slug", "")) if isinstance(interface, dict) else ""


def _place(value: Job) -> str:
    """Return where the files of an output are below `output`."""
    return str(value["interface"].get("relative_path") or f"{_slug(value)}.json")


def _members(
    members: Iterable[str], places: Mapping[str, Mapping[str, str]], wanted: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the members that count by name, those of a job's parts where the challenge reads them.

    Args:
        members: All of them.
        places: Where the parts are below `output`, by the folders of the jobs.
        wanted: Where the challenge reads each part.
    """
    for member in members:
        folder, _, path = member.partition("/")
        if folder not in places:
            yield member, member
            continue
        below = path.removeprefix("output/")
        for part, place in places[folder].items():
            if below == place or below.startswith(f"{place}/"):
                name = wanted.get(part, place)
                yield f"{folder}/output/{name}{below.removeprefix(place)}", member


def _as_image(value: Job) -> Job:
    """Return the input that names the case as an image: the name of an image or file, or a text."""
    image = value.get("image")
    name = image.get("name") if isinstance(image, dict) else value.get("file") or value.get("value")
    return {**value, "image": {"name": name}}


def _lacking(missing: Sequence[tuple[str, str, Iterable[str]]], n_jobs: int) -> Iterator[Finding]:
    for part in dict.fromkeys(part for part, _, _ in missing):
        of_part = [(slug, listed) for name, slug, listed in missing if name == part]
        slug, listed = of_part[0]
        there = ", ".join(shortened(name, 60) for name in sorted(listed)) or "none"
        message = (
            f"{len(of_part)} of {n_jobs} jobs have no socket {slug!r} for {part}; their sockets: {there}. "
            f"Tell the organizers to name the socket with --socket {part}=SLUG when they write the container."
        )
        yield error("no-socket", LISTING, message)
