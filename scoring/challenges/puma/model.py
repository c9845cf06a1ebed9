"""Models that detect nuclei: checks a model, runs it on every tile, and writes detections in the platform's
file format. Also makes the example submission."""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from scoring.challenges.puma import truth
from scoring.challenges.puma.cases import WrittenFiles
from scoring.challenges.puma.dense_models import AS_IT_IS, DenseModel, examined, peaks, probabilities
from scoring.challenges.puma.diagnostics import til_share
from scoring.challenges.puma.formula import ID, MICROMETRES_PER_PIXEL
from scoring.challenges.puma.nucleus_classes import CLASSES, PLATFORM
from scoring.challenges.puma.predictions import NucleiPredictions, read_predictions
from scoring.challenges.puma.truth import PumaTruth
from scoring.common.arrays import Floats
from scoring.common.file_opening import zipped
from scoring.common.findings import Finding, InputRefused, error, note, warning
from scoring.core.challenge import Cancelled, Context
from scoring.core.submission import ignored
from scoring.inference import model_contract, model_pool, preflight, run_model, thumbnails
from scoring.inference.challenge_task import Model, ModelFile, no_images, read_model
from scoring.inference.cluster.inference import run_on_all
from scoring.inference.model_pool import Answered
from scoring.inference.model_process import LoadedModel, ModelProcess, RunnableModel
from scoring.inference.preflight import CancellableProcess, Inspection
from scoring.inference.preprocessing import ImageInfo, ImageUnreadable, Pixels, Recipe
from scoring.inference.single_image_task import TileSupport
from scoring.inference.worker_results import ModelFailed, ModelOutput
from scoring.inputs.nuclei.reader import POLYGONS, Nuclei
from scoring.inputs.sources import Source, open_source

DEPTH = 0.5
"""Third coordinate of every point in the platform's format; images have only one layer."""
SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
"""Vertices, in px from the centre, of the outline that is written for a nucleus without an outline."""
ROUNDED = 1e-4
"""A centroid and the mean of its vertices, stored as float32, may differ by at most this (in px)."""
STAMP = (1980, 1, 1, 0, 0, 0)
"""Fixed time stamp of files in a zip, so that the same nuclei give the same bytes."""


def read_images(source: Source, name: str | None = None) -> PumaTruth:
    """Read image tiles without annotations, by file name. Raises InputRefused if there is no image, or if a
    case has several."""
    files = open_source(source, name)
    members_of: dict[str, list[str]] = {}
    for member in files.members:
        path = PurePosixPath(member)
        if path.suffix.lower() in truth.ENDINGS:
            members_of.setdefault(path.stem, []).append(member)
    problems = [
        error("duplicate-case", several[1], f"case {case} has {len(several)} images: keep one.")
        for case, several in members_of.items()
        if len(several) > 1
    ]
    if not members_of:
        problems = [error("image-missing", files.name, f"it holds no image ({', '.join(truth.ENDINGS)}).")]
    if problems:
        raise InputRefused(problems)
    ids = tuple(sorted(members_of))
    sizes, readable, findings = truth.measure(files, [members_of[case][0] for case in ids])
    others = ignored(files, {member for members in members_of.values() for member in members})
    nothing = tuple(Nuclei.empty() for _ in ids)
    return PumaTruth(
        files.name, files, ids, nothing, sizes, files, readable, (*findings, *others), {}, WrittenFiles()
    )


def inspect(
    model: Model,
    truth: PumaTruth | None = None,
    name: str | None = None,
    timings: bool = False,
    cancelled: Cancelled | None = None,
) -> Inspection:
    """Check whether a model returns probability maps of nuclei. `timings` says whether the time of the first
    tile is measured.

    Raises:
        InputRefused: If the model cannot be used; it lists all problems.
        scoring.inference.model_pool.Cancelled: If the check is cancelled.
    """
    return _inspect(read_model(model, name), truth, timings, cancelled)[0]


def _inspect(
    file: ModelFile, truth: PumaTruth | None, timings: bool, cancelled: Cancelled | None
) -> tuple[Inspection, DenseModel]:
    absent = [no_images(truth.pictures.name)] if truth and not any(truth.images) else []
    try:
        with CancellableProcess(file.data, cancelled) as process:
            dense = examined(process, process.facts, file.name)
            described = preflight.described(process.facts, file.name) | {"output_kind": "probabilities"}
            if timings:
                described |= _timings(process, dense)
    except ModelFailed as failed:
        preflight.raise_if(cancelled)
        raise InputRefused([model_contract.failure(file.name, failed), *absent]) from failed
    except InputRefused as refused:
        raise InputRefused([*refused.problems, *absent], refused.findings) from refused
    if absent:
        raise InputRefused(absent, dense.findings)
    return Inspection(dense.findings, described, np.empty((0, 0))), dense


class _Timed:
    """A loaded model that adds up the processor time of its runs, ms."""

    def __init__(self, process: RunnableModel):
        self._process, self.cpu_ms = process, 0.0

    def run(
        self, picture: bytes | Pixels, recipe: Recipe, vector: Floats | None = None, want_pixels: bool = False
    ) -> ModelOutput:
        answer = self._process.run(picture, recipe, vector, want_pixels)
        self.cpu_ms += answer.cpu_ms
        return answer


def _timings(process: CancellableProcess, dense: DenseModel) -> dict[str, Any]:
    """Return the time for a tile of the challenge's size, and the layers of confinement."""
    timed = _Timed(process)
    probabilities(timed, dense, model_contract.noise(*truth.SIZE))
    return {"cpu_ms_per_image": timed.cpu_ms, "confinement": list(process.facts.confinement)}


def predict(model: Model, cases: PumaTruth, context: Context) -> NucleiPredictions:
    """Check a model and run it on every image tile: on CPU, with one thread, one window at a time.

    A case without a readable image counts as a case without a prediction.

    Raises:
        InputRefused: If the model cannot be used; it lists all problems.
        scoring.inference.model_pool.Cancelled: If the run is cancelled.
    """
    file = read_model(model, context.name)
    inspected, dense = _inspect(file, cases, False, context.cancelled)
    readers, digests = run_model.readers(cases)
    try:
        run = run_on_all(
            file.data,
            readers,
            _Detect(cases.ids, dense),
            progress=context.progress,
            cancelled=context.cancelled,
        )
    except ModelFailed as failed:
        raise run_model.refusal(file, cases, failed) from failed
    nuclei = [output if isinstance(output, Nuclei) else Nuclei.empty() for output in run.outputs]
    missing = np.array([not isinstance(output, Nuclei) for output in run.outputs], bool)
    problems = list(dict.fromkeys(p for o in run.outputs if isinstance(o, InputRefused) for p in o.problems))
    findings = (*inspected.findings, *_about(cases, run.outputs))
    if problems:
        raise InputRefused(problems, findings)
    if missing.all():
        raise InputRefused([no_images(cases.pictures.name)], findings)
    classes = np.concatenate([output.classes for output in nuclei])
    return NucleiPredictions(
        file.name,
        cases.ids,
        tuple(nuclei),
        missing,
        findings,
        None,
        Counter(PLATFORM[k] for k in classes.tolist()),
        WrittenFiles(
            (POLYGONS,) * len(nuclei),
            tuple(frozenset(PLATFORM[k] for k in output.classes.tolist()) for output in nuclei),
        ),
        inspected.model,
        digests,
    )


@dataclass(frozen=True)
class _Detect:
    """The work on one tile: its nuclei. ids: of the cases, for messages."""

    ids: tuple[str, ...]
    dense: DenseModel

    def __call__(
        self, process: ModelProcess, data: bytes, index: int, settings: model_pool.PoolSettings
    ) -> Answered[Nuclei]:
        picture, timed = model_pool.decoded(process, data, AS_IT_IS, settings), _Timed(process)
        nuclei = detected(timed, self.dense, picture.pixels, self.ids[index])
        return Answered(nuclei, picture.seen, timed.cpu_ms)


def detected(process: RunnableModel, dense: DenseModel, pixels: Pixels, where: str = "the image") -> Nuclei:
    """Return the nuclei that a dense model detects in a tile, uint8 [H, W, 3]. Raises InputRefused if the
    outputs cannot be used, ModelFailed if the model fails."""
    return peaks(*probabilities(process, dense, pixels, where))


def _about(cases: PumaTruth, outputs: tuple[Nuclei | Exception | None, ...]) -> Iterator[Finding]:
    for case, output in zip(cases.ids, outputs, strict=True):
        if output is None:
            message = (
                f"case {case} has no readable image in {cases.pictures.name}: all its nuclei are missed."
            )
            yield warning("missing-case", case, message)
        elif isinstance(output, ImageUnreadable):
            yield warning("image-unreadable", case, f"{output} All nuclei of case {case} count as missed.")
        elif isinstance(output, Nuclei) and not len(output):
            yield note(
                "empty-case",
                case,
                f"the model found no nucleus in case {case}: scored as an empty prediction.",
            )


def table(cases: PumaTruth, predictions: NucleiPredictions) -> bytes:
    """Return predictions as a zip with one "Multiple polygons" file per case, the format of Grand
    Challenge."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for case, nuclei, missing in zip(cases.ids, predictions.nuclei, predictions.missing, strict=True):
            if not missing:
                member = zipfile.ZipInfo(f"{case}.json", STAMP)
                archive.writestr(member, multiple_polygons(nuclei), zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _outlines(nuclei: Nuclei) -> Iterator[list[list[float]]]:
    """Yield outlines whose mean is the centroid, by which the evaluator matches: a nucleus without an outline
    gets a square, and one that was thinned is shifted."""
    starts = nuclei.starts.tolist()
    for centre, start, end in zip(nuclei.centroids, starts[:-1], starts[1:], strict=True):
        outline = nuclei.vertices[start:end].astype(float) if end > start else centre + SQUARE
        shift = centre - outline.mean(0)
        yield (outline + shift if np.abs(shift).max() > ROUNDED else outline).tolist()


def multiple_polygons(nuclei: Nuclei) -> str:
    """Return nuclei in the format "Multiple polygons" of Grand Challenge."""
    polygons = [
        {
            "name": PLATFORM[k],
            "seed_point": [*centre, DEPTH],
            "path_points": [[*point, DEPTH] for point in outline],
            "probability": confidence,
        }
        for k, centre, outline, confidence in zip(
            nuclei.classes.tolist(),
            nuclei.centroids.tolist(),
            _outlines(nuclei),
            nuclei.confidences.tolist(),
            strict=True,
        )
    ]
    document = {"type": "Multiple polygons", "polygons": polygons, "version": {"major": 1, "minor": 0}}
    return json.dumps(document, separators=(",", ":"))


def received(
    truth: PumaTruth, index: int, _model: Mapping[str, Any] | None = None
) -> tuple[list[thumbnails.Stage], ImageInfo]:
    """Return the pixels that a model receives for one case, which are unchanged. Raises ImageUnreadable,
    InputRefused."""
    width, height = truth.sizes[index].tolist()
    return thumbnails.received(truth, index, Recipe(((width, height, "lanczos"),)))


def _examined(process: LoadedModel, name: str) -> DenseModel:
    return examined(process, process.facts, name)


def _listed(data: bytes, name: str) -> Nuclei:
    return read_predictions(data, None, Context(name)).nuclei[0]


def tile_support() -> TileSupport:
    """Return the functions that the single-image page uses for tiles."""
    return TileSupport(ID, CLASSES, MICROMETRES_PER_PIXEL, til_share, _examined, detected, _listed)


OUTLINE = np.array([(-8, -8), (8, -8), (8, 8), (-8, 8)], np.float32)
"""Vertices of the example nucleus, in px from the centre of the image."""


def example(truth: PumaTruth) -> tuple[str, bytes]:
    """Return name and bytes of an example submission (zip) that uses only names and sizes of the truth."""
    sizes = dict(zip(truth.ids, truth.sizes.tolist(), strict=True))
    return "example.zip", zipped(
        (f"{case}.json", multiple_polygons(_nucleus(np.array(sizes[case]) / 2)).encode())
        for case in sorted(sizes)
    )


def _nucleus(middle: np.ndarray) -> Nuclei:
    return Nuclei(
        np.zeros(1, np.int8),
        middle[None].astype(float),
        np.full(1, 0.5),
        np.ones(1),
        np.zeros(1, np.int32),
        (OUTLINE + middle).astype(np.float32),
        np.array([0, 4], np.uint32),
    )
