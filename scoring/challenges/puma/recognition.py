"""Recognises files for PUMA: lists of nuclei, which may be a truth or a submission, and models that return
maps."""

import re
from collections.abc import Iterator

from scoring.challenges.puma.cases import CASE, PATH, SUFFIX, TABLE, case_id, is_nuclei_file
from scoring.challenges.puma.formula import ID
from scoring.challenges.puma.nucleus_classes import NAMES
from scoring.core import file_contents
from scoring.core.file_contents import (
    LIKELY,
    POSSIBLE,
    SURE,
    Candidate,
    FileContents,
    case_key,
    with_pictures,
)
from scoring.inputs.nuclei import imagej_rois, xml_shapes
from scoring.inputs.nuclei.folders import OF_SLIDE, by_slide
from scoring.inputs.nuclei.tiles import LINES, OF_SEVERAL, by_tile, is_of_nuclei
from scoring.inputs.tables import key

NUCLEI = re.compile(
    r'"(FeatureCollection|Multiple (polygons|points)|polygons|points|centroid|nuclei|coord|shapes)"'
    r'|"(paths|bounding_box)"\s*:\s*[\[{]'
    r'|"(elements|bboxes|boxes)"\s*:\s*\['
    r'|"box"\s*:\s*\{'
    r'|"geometry"\s*:\s*\{'
    r'|"x"\s*:\s*-?[\d.]+,\s*"y"\s*:'
)
GRADED = re.compile(r'"(confidence|score|type_prob|Detection probability|coord)"|"probability"\s*:\s*(0|\.)')
"""Pattern of a sign that a file is a prediction: a confidence, or a probability below 1."""
ANNOTATION = re.compile(r'"FeatureCollection"')


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield the inputs of PUMA that the files may be: lists of nuclei, with images or with `submission.csv`,
    or a model that returns maps."""
    if contents.gives_maps:
        yield Candidate(ID, "submission", "a model that finds nuclei, for PUMA", LIKELY)
        yield Candidate(ID, "tile_model", "a model that finds nuclei in a tile", POSSIBLE)
    heads = [head for member, head in contents.json_heads.items() if is_nuclei_file(member)]
    drawn = bool(contents.ending_in(*xml_shapes.ENDINGS, *LINES, imagej_rois.SETS))
    several = drawn or any(map(is_of_nuclei, contents.tables)) or any(map(OF_SEVERAL.search, heads))
    slides, of_slide = by_slide(contents.files)
    tiles = by_tile(slides, names=NAMES) if several else slides
    nuclei = [member for member in tiles.members if is_nuclei_file(member)]
    is_split = tiles is not slides or any(member.endswith(OF_SLIDE) for member in of_slide.values())
    if not is_split and not any(NUCLEI.search(head) for head in heads):
        return
    ids = frozenset(case_key(case_id(member)) for member in nuclei)
    n = file_contents.counted(len(nuclei), "file")
    truth = Candidate(ID, "truth", f"a PUMA test set: {n} of nuclei{with_pictures(contents)}", POSSIBLE, ids)
    submitted = Candidate(ID, "submission", f"a submission to PUMA: {n} of nuclei", POSSIBLE, ids)
    if is_split or _listed(contents) or any(GRADED.search(head) for head in heads):
        yield _as(submitted, SURE)
        yield truth
    elif contents.pictures:
        yield _as(truth, SURE)
        yield submitted
    elif all(ANNOTATION.search(head) for head in heads) and any(SUFFIX in member for member in nuclei):
        yield _as(truth, LIKELY)
        yield submitted
    else:
        yield _as(truth, LIKELY)
        yield _as(submitted, LIKELY)


def _as(reading: Candidate, certainty: int) -> Candidate:
    return Candidate(reading.challenge, reading.place, reading.words, certainty, reading.ids)


def _listed(contents: FileContents) -> bool:
    """Return whether a table lists the files of a submission."""
    return any(
        table.name.lower().endswith(TABLE) and {key(CASE), key(PATH)} <= set(table.keys)
        for table in contents.tables
    )
