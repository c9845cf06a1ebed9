"""Reads nuclei into arrays: QuPath GeoJSON, Multiple polygons, lists of centroids, and the formats of
`foreign`.

Source of the formats: the description and data set of PUMA, and the Grand Challenge platform.
"""

import codecs
from dataclasses import dataclass, replace
from typing import Any

from scoring.common.findings import Finding, error, note, warning
from scoring.common.transport import crosses, isolated
from scoring.inputs.nuclei import fast, foreign, strict
from scoring.inputs.nuclei.contents import (
    FEATURES,
    NUCLEI,
    POLYGONS,
    Classify,
    Nuclei,
    NucleiFile,
    NucleusList,
    contents,
    counted,
    positions,
    repeated,
    too_large,
    without_closing_vertices,
)

__all__ = [
    "FILE_BYTES",
    "NUCLEI",
    "POLYGONS",
    "Classify",
    "Nuclei",
    "NucleiFile",
    "counted",
    "positions",
    "read_nuclei",
    "repeated",
]

FILE_BYTES = 128_000_000
"""Maximum bytes of a file, which is enough for 100,000 nuclei with 36 vertices each. In memory, a file can
take twenty times its size."""
LEFT_TO_STRICT = (b'"nucleusGeometry"', b'"Point"', b'"MultiPoint"')
LISTS = 6_000_000
"""Maximum number of lists and objects in a file. 100,000 nuclei with 36 vertices each need 4 million. The
limit is needed because an empty list takes 2 bytes in a file but 64 in memory."""


def read_nuclei(
    data: bytes, where: str, classify: Classify, graded: bool = True, left_out: str = "."
) -> NucleiFile:
    """Read one file of nuclei, with coordinates in px. Problems are part of the result; no exception is
    raised.

    GeoJSON repeats the first vertex of a ring at its end (RFC 7946, 3.1.6). The centroid of a
    prediction ignores the repeated vertex. The centroid of a true nucleus includes it, as the
    organisers' JSON does.

    Args:
        graded: Whether confidences are read (predictions) or ignored (truth).
        left_out: End of the message about nuclei with too few vertices.
    """
    parsed = parse(data, where, graded)
    listed = parsed.listed
    if listed is None:
        nuclei_file = NucleiFile(Nuclei.empty(), problems=parsed.problems)
    else:
        listed = without_closing_vertices(listed) if graded and listed.key == FEATURES else listed
        nuclei_file = contents(listed, where, classify, left_out, parsed.problems)
    if parsed.regions:
        message = (
            f"Benchside leaves out {parsed.regions:,} annotations: in a file with detections, "
            "annotations mark only the regions that were searched."
        )
        nuclei_file = replace(
            nuclei_file, findings=(*nuclei_file.findings, warning("regions-left-out", where, message))
        )
    if data.startswith(codecs.BOM_UTF8):
        mark = note(
            "bom",
            where,
            "the file begins with a byte order mark, which JSON should not have. Benchside read it anyway.",
        )
        nuclei_file = replace(nuclei_file, findings=(mark, *nuclei_file.findings))
    return nuclei_file


@crosses
@dataclass(frozen=True)
class ParsedNuclei:
    """A parsed file.

    Attributes:
        listed: Valid nuclei of the file; None if nothing can be read.
        problems: Problems of all other items.
        regions: Number of annotations beside detections, which are left out.
    """

    listed: NucleusList | None
    problems: tuple[Finding, ...] = ()
    regions: int = 0


@isolated
def parse(data: bytes, where: str, graded: bool) -> ParsedNuclei:
    """Parse one file of nuclei; see `read_nuclei`."""
    if len(data) > FILE_BYTES:
        message = f"it has {len(data) / 1e6:,.0f} MB; at most {FILE_BYTES / 1e6:.0f} MB are read."
        return _unreadable(error("too-large", where, message))
    lists = data.count(b"[") + data.count(b"{")
    if lists > LISTS:
        message = f"it holds {lists:,} lists and objects; a file of nuclei of at most {LISTS:,} is read."
        return _unreadable(error("too-large", where, message))
    may_hold_regions = graded and b'"annotation"' in data and (b'"detection"' in data or b'"cell"' in data)
    is_special = may_hold_regions or any(mark in data for mark in LEFT_TO_STRICT)
    listed = None if is_special else fast.listed(data, graded)
    if listed is None:
        return _parsed_strictly(data, where, graded)
    return _unreadable(too_large(where, listed.items)) if listed.items > NUCLEI else ParsedNuclei(listed)


def _parsed_strictly(data: bytes, where: str, graded: bool) -> ParsedNuclei:
    document, problem = strict.document(data, where)
    if problem:
        return _unreadable(problem)
    document, regions = foreign.without_regions(document) if graded else (document, 0)
    return replace(_of_document(document, where, graded), regions=regions)


def _of_document(document: Any, where: str, graded: bool) -> ParsedNuclei:
    foreign_list = (
        None if type(document) is dict and {*strict.LISTS} & {*document} else foreign.native(document)
    )
    if foreign_list is not None:
        name, of_ours, items = foreign_list
        return _of_items(of_ours, items, where, graded, name)
    if type(document) is not dict:
        message = (
            f"the top level is {strict.quoted(document)}, not an object with {' or '.join(strict.LISTS)}."
        )
        return _unreadable(strict.bad_json(where, message))
    key = next((key for key in strict.LISTS if key in document), None)
    if key is None:
        message = (
            f"it has none of the keys {', '.join(strict.LISTS)}; its keys are "
            f"{strict.quoted(list(document))}. Write the nuclei under one of the expected keys."
        )
        return _unreadable(strict.bad_json(where, message))
    items = document[key]
    if type(items) is not list:
        return _unreadable(
            error("bad-nucleus", where, f"{key} is {strict.quoted(items)}: write a list of nuclei.")
        )
    points = foreign.centroids_of(items) if graded and key == FEATURES else None
    if points is not None:
        return _of_items("nuclei", points, where, graded, key)
    return _of_items(key, items, where, graded, key)


def _of_items(key: str, items: list[Any], where: str, graded: bool, name: str) -> ParsedNuclei:
    """Return what the items of a list hold. name: what the file calls the list."""
    if len(items) > NUCLEI:
        return _unreadable(too_large(where, len(items)))
    listed, faults = strict.listed(key, items, graded)
    return ParsedNuclei(replace(listed, key=name), tuple(strict.problems(faults, name, where)))


def _unreadable(problem: Finding) -> ParsedNuclei:
    return ParsedNuclei(None, (problem,))
