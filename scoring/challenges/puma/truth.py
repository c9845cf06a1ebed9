"""The truth of PUMA: the annotated nuclei of every region."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scoring.challenges.puma import cases, names
from scoring.challenges.puma.images import find, measure
from scoring.challenges.puma.names import Naming
from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs.nuclei import Nuclei
from scoring.inputs.sources import Source, SourceFiles, open_source


@dataclass(frozen=True)
class PumaTruth:
    """The cases of a truth, sorted by id (code points).

    nuclei: of each case. sizes: int [N, 2], width and height in px, 1024 without an image. images: member of
    `pictures` that shows each case, None without. digest_of: SHA-256 of each file of nuclei.
    """

    id_column: ClassVar[str] = "case"

    name: str
    files: SourceFiles
    ids: tuple[str, ...]
    nuclei: tuple[Nuclei, ...]
    sizes: np.ndarray
    pictures: SourceFiles
    images: tuple[str | None, ...]
    findings: tuple[Finding, ...]
    digest_of: Mapping[str, str]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def columns(self) -> Mapping[str, tuple[str, ...]]:
        """Columns of metadata: these files have none."""
        return {}

    def picture(self, index: int) -> bytes | None:
        """Return the image of a case, encoded; None where there is none. Raises InputRefused where the file
        cannot be read."""
        member = self.images[index]
        return None if member is None else self.pictures.read(member)


def read_truth(
    source: Source,
    name: str | None = None,
    images: Source | None = None,
    unknown_classes: str = "refuse",
    class_map: str | None = None,
) -> PumaTruth:
    """Read the annotations: one file, a folder or a zip of QuPath GeoJSON, Multiple polygons JSON or lists of
    centroids.

    images: another place for the images. unknown_classes: "refuse" nuclei of other classes, or "ignore" them.
    class_map: what they count as instead, `NAME=CLASS,...`. Raises InputRefused with every problem; its
    `salvaged` is what could be read.
    """
    files = open_source(source, name)
    pictures = files if images is None else open_source(images)
    members = files.members if files.kind == "file" else tuple(filter(cases.is_nuclei_file, files.members))
    member_of, problems = cases.by_case(files, members)
    ids = tuple(sorted(member_of))
    used = [member_of[case] for case in ids]
    truth, of_files = _read(files, pictures, ids, used, Naming.of(unknown_classes, class_map))
    problems = [*problems, *of_files]
    if not problems and not any(map(len, truth.nuclei)):
        words = (
            "it lists no nuclei at all: nothing can be scored."
            if ids
            else (
                "it holds no file of nuclei (<case>_nuclei.geojson, <case>_nuclei.json, <case>.geojson "
                "or <case>.json)."
            )
        )
        problems = [error("empty-truth", files.name, words)]
    if problems:
        raise InputRefused(problems, truth.findings, salvaged=truth)
    return truth


def _read(
    files: SourceFiles, pictures: SourceFiles, ids: tuple[str, ...], used: list[str], naming: Naming
) -> tuple[PumaTruth, tuple[Finding, ...]]:
    sizes, shown, of_images = measure(pictures, find(pictures, ids))
    read = cases.in_place(cases.read_cases(files, used, naming, graded=False), sizes, map(files.called, used))
    looked_at = {*used, *(member for member in shown if member is not None and pictures is files)}
    findings = (
        *read.findings,
        *names.mapped(read.names, files.name, naming),
        *of_images,
        *cases.ignored(files, (member for member in files.members if member not in looked_at)),
    )
    return PumaTruth(
        files.name, files, ids, read.nuclei, sizes, pictures, shown, findings, read.digest_of
    ), read.problems
