"""One photograph of twelve megapixels, and everything that is asked of it, as ratios to the bare run of the
model. Run with --benchmark-only.

Processor time of this process and of the workers, because machines are busy; the limits are those that were
set before the code was written.
"""

import io
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from PIL import Image

from scoring.challenges import samples
from scoring.inference.model_process import ImageProcess
from scoring.inference.preprocessing import tensor
from scoring.metrics import conformal
from scoring.single_image import nuclei, occlusion_saliency, random_mask_saliency
from scoring.single_image.image_prediction import ImagePrediction, predict, views
from scoring.single_image.model import OpenModel, opened
from scoring.single_image.model_inputs import model_task, vector
from scoring.single_image.other_demographics import sweep
from scoring.single_image.photograph import Photograph, received
from scoring.single_image.quality import of_photograph
from tests.support.single_image import PATIENT, TILE_SUPPORT, lesion

MODELS = (("tricorder3", "convolutional"), ("tricorder3", "kmeans"), ("melanoma", "convolutional"))
FIRST_ANSWER_MS = 300
RAW_RUNS = 40


@dataclass(frozen=True)
class Query:
    """A model with a photograph and its answer. raw_ms: processor time of the runtime's run alone."""

    model: OpenModel
    images: ImageProcess
    file: bytes
    photograph: Photograph
    answer: ImagePrediction
    raw_ms: float

    def spent_ms(self, work: Callable[[], object], rounds: int = 3) -> float:
        """Processor time of `work`, here and in the workers; the least of some rounds."""
        found = []
        for _ in range(rounds):
            before = self._clock()
            work()
            found.append(self._clock() - before)
        return 1000 * min(found)

    def _clock(self) -> float:
        workers = (self.model.process._worker._child.pid, self.images._worker._child.pid)
        return time.process_time() + sum(map(_seconds, workers))


def _seconds(process_id: int) -> float:
    """Processor time of another process."""
    fields = Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def raw(data: bytes, one: ImagePrediction) -> float:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    arrays = [tensor(one.prepared)] + ([] if one.vector is None else [one.vector[None]])
    feed = {value.name: array for value, array in zip(session.get_inputs(), arrays, strict=True)}
    session.run(None, feed)
    start = time.process_time()
    for _ in range(RAW_RUNS):
        session.run(None, feed)
    return 1000 * (time.process_time() - start) / RAW_RUNS


@pytest.fixture(scope="module", params=MODELS, ids="-".join)
def asked(request):
    challenge, name = request.param
    data = (samples.FOLDER / challenge / "models" / f"{name}.onnx").read_bytes()
    buffer = io.BytesIO()
    Image.fromarray(lesion(1000)).resize((4000, 3000), Image.Resampling.BICUBIC).save(
        buffer, "JPEG", quality=92
    )
    with ImageProcess() as images:
        model = opened(model_task(challenge), data)
        photograph = received(buffer.getvalue(), images)
        one = predict(model, photograph, vector(PATIENT, 50, "m", "torso") if model.takes_vector else None)
        yield Query(model, images, buffer.getvalue(), photograph, one, raw(data, one))
        model.close()


def test_first_answer(benchmark, asked):
    """Decoding, turning, quality, preparing, one run: at most 1.2 x run + 200 ms were hoped for, 300 ms are
    promised."""

    def first():
        found = received(asked.file, asked.images)
        of_photograph(found)
        return predict(asked.model, found, asked.answer.vector)

    benchmark.pedantic(first, rounds=3)
    spent = asked.spent_ms(first, rounds=6)
    benchmark.extra_info.update(cpu_ms=round(spent), raw_ms=round(asked.raw_ms, 2))
    assert spent <= FIRST_ANSWER_MS


def within(
    benchmark, asked: Query, work: Callable[[], object], runs: int, ratio: float, extra_ms: float
) -> None:
    """Processor time at most ratio x runs x the bare run + extra_ms."""
    benchmark.pedantic(work, rounds=2)
    spent = asked.spent_ms(work)
    benchmark.extra_info.update(
        cpu_ms=round(spent), ratio=round(spent / (runs * asked.raw_ms), 2), raw_ms=round(asked.raw_ms, 2)
    )
    assert spent <= ratio * runs * asked.raw_ms + extra_ms


def test_views(benchmark, asked):
    within(benchmark, asked, lambda: views(asked.model, asked.answer), 8, 8.5 / 8, 30)


@pytest.mark.parametrize("grid", [8, 16])
def test_occlusion(benchmark, asked, grid):
    extra = 50 if grid == 8 else 150  # the way to the worker and back costs 0.5 ms a run, whatever the model
    within(
        benchmark,
        asked,
        lambda: occlusion_saliency.occlusion(asked.model, asked.answer, grid),
        grid * grid + 1,
        1.15,
        extra,
    )


def test_random_masks(benchmark, asked):
    within(benchmark, asked, lambda: random_mask_saliency.masks(asked.model, asked.answer, 64), 64, 1.8, 150)


def test_sweep(benchmark, asked):
    if asked.answer.vector is None:
        pytest.skip("the model takes the image only")
    within(benchmark, asked, lambda: sweep(asked.model, asked.answer), 30, 1.15, 20)


def test_nuclei_of_a_tile(benchmark):
    detector = nuclei.opened(TILE_SUPPORT, (samples.FOLDER / "puma" / "models" / "dense.onnx").read_bytes())
    tile = received((samples.FOLDER / "puma" / "truth" / "sample_primary_roi_001.tif").read_bytes())
    assert len(benchmark.pedantic(lambda: nuclei.detected(detector, tile.pixels), rounds=3)) > 300
    detector.close()


def test_opening_a_model(benchmark):
    """A person waits for this once per model."""
    data = (samples.FOLDER / "tricorder3" / "models" / "convolutional.onnx").read_bytes()
    benchmark.pedantic(lambda: opened(model_task("tricorder3"), data).close(), rounds=3)


def test_class_sets_with_their_trial(benchmark):
    random = np.random.default_rng(0)
    benchmark.pedantic(
        conformal.coverage, (random.dirichlet(np.ones(11), 2200), np.arange(2200) % 11, 0.1), rounds=3
    )
