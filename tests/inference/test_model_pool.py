"""One model over many pictures: the same answers however many workers, and nothing left behind."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.common.findings import InputRefused, error
from scoring.inference import model_pool
from scoring.inference.fair_semaphore import FairSemaphore
from scoring.inference.image_cache import PictureCache
from scoring.inference.model_pool import Cancelled, PoolSettings, predict
from scoring.inference.model_process import ModelProcess
from scoring.inference.preprocessing import ImageUnreadable, Recipe
from scoring.inference.timed_worker import Limits
from scoring.inference.worker_results import ModelFailed, ModelOutput
from tests.inference import builders
from tests.inference.test_model_process import eventually, hooked, linux
from tests.inference.test_preprocessing import encoded, photograph
from tests.support.processes import children

SMALL = Recipe(((32, 32, "lanczos"),))
FILES = [encoded(photograph(60 + 7 * i, 50, seed=i), "JPEG") for i in range(9)]
VECTORS = np.column_stack([np.linspace(0, 90, 9), np.arange(9) % 2, np.arange(9) % 7]).astype(np.float32)
PICTURES = [lambda data=data: data for data in FILES]


def recipe_for(facts):
    return SMALL


@pytest.fixture(scope="module")
def one_by_one():
    """What a single process answers, image by image."""
    with ModelProcess(builders.classifier()) as process:
        return [
            process.run(data, SMALL, vector).outputs[0][0].astype(np.float64)
            for data, vector in zip(FILES, VECTORS, strict=True)
        ]


@pytest.mark.parametrize(("workers", "cached"), [(1, (None, 1 << 20, 3000)), (3, (3000,))])
def test_outputs_do_not_depend_on_workers_or_cache(workers, cached, one_by_one):
    for cache in (each and PictureCache(each) for each in cached):
        for _ in range(2 if cache else 1):
            found = predict(
                builders.classifier(),
                PICTURES,
                VECTORS,
                recipe_for,
                settings=PoolSettings(workers=workers, cache=cache),
            )
            np.testing.assert_array_equal(found.outputs, one_by_one)
            assert all(output.dtype == np.float64 for output in found.outputs)
            assert [seen.width for seen in found.seen] == [60 + 7 * i for i in range(9)]
            assert found.recipe == SMALL
            assert found.facts.graph.nodes == 5
            assert (found.cpu_ms > 0).all()


def test_a_second_model_does_not_decode_again():
    cache, recipe = PictureCache(1 << 20), Recipe(((32, 32, "bicubic"),))
    predict(
        builders.classifier(), PICTURES, VECTORS, lambda facts: recipe, settings=PoolSettings(cache=cache)
    )
    undecoded = hooked(
        "from scoring.inference import preprocessing\ndef refuse(*_):\n    raise "
        "preprocessing.ImageUnreadable('decoded')\n"
        "preprocessing.pixels = refuse"
    )
    found = predict(
        builders.classifier(seed=1),
        PICTURES,
        VECTORS,
        lambda facts: recipe,
        settings=PoolSettings(cache=cache, command=undecoded),
    )
    assert all(isinstance(output, np.ndarray) for output in found.outputs)
    found = predict(
        builders.classifier(seed=1),
        PICTURES,
        VECTORS,
        recipe_for,
        settings=PoolSettings(cache=cache, command=undecoded),
    )
    assert all(isinstance(output, ImageUnreadable) for output in found.outputs)


def test_pictures_that_are_not_there_or_not_readable_stand_in_their_places():
    refused = InputRefused([error("bad-zip", "x.zip", "damaged")])

    def raising(fault):
        def read():
            raise fault

        return read

    pictures = [
        None,
        PICTURES[1],
        lambda: b"no image",
        raising(OSError("gone")),
        raising(refused),
        PICTURES[5],
    ]
    found = predict(
        builders.classifier(),
        pictures,
        VECTORS[:6],
        recipe_for,
        settings=PoolSettings(cache=PictureCache(1 << 20)),
    )
    kinds = [type(output) for output in found.outputs]
    assert kinds == [type(None), np.ndarray, ImageUnreadable, ImageUnreadable, InputRefused, np.ndarray]
    assert found.outputs[4] is refused
    assert [seen is not None for seen in found.seen] == [False, True, False, False, False, True]
    assert np.isnan(found.cpu_ms).tolist() == [True, False, True, True, True, False]


def test_no_pictures_is_a_loaded_model():
    found = predict(builders.classifier(), [], None, recipe_for)
    assert found.outputs == ()
    assert found.facts.graph.nodes == 5


def test_vectors_of_another_length_are_a_fault_of_the_caller():
    with pytest.raises(ValueError, match="per picture"):
        predict(builders.classifier(), PICTURES, VECTORS[:3], recipe_for)


def test_vectors_are_left_out_for_a_model_with_one_input():
    model = builders.classifier(vector=False)
    with_vectors = predict(model, PICTURES, VECTORS, recipe_for)
    np.testing.assert_array_equal(with_vectors.outputs, predict(model, PICTURES, None, recipe_for).outputs)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_picture_on_which_the_model_fails_is_named(workers):
    """It stops where the picture is bright: pictures 3 and 4 are."""
    bright = encoded(photograph().point(lambda value: 255))
    dark = encoded(photograph().point(lambda value: 0))
    pictures = [lambda data=data: data for data in (dark, dark, dark, bright, bright, dark)]
    with pytest.raises(ModelFailed) as caught:
        predict(
            builders.gather_out_of_range(), pictures, None, recipe_for, settings=PoolSettings(workers=workers)
        )
    assert (caught.value.code, caught.value.picture) == ("model-crashed", 3)


@pytest.mark.parametrize(
    ("model", "code"), [(b"", "model-unreadable"), (builders.external_initializer("x"), "external-data")]
)
def test_a_model_that_cannot_be_loaded_is_one_failure(model, code):
    with pytest.raises(ModelFailed) as caught:
        predict(model, PICTURES, VECTORS, recipe_for)
    assert (caught.value.code, caught.value.picture) == (code, None)


@linux
def test_too_slow_for_one_image_is_a_failure_of_the_model():
    with pytest.raises(ModelFailed) as caught:
        predict(
            builders.endless_loop(),
            PICTURES,
            None,
            recipe_for,
            settings=PoolSettings(limits=Limits(run_seconds=0.5)),
        )
    assert caught.value.code == "inference-timeout"
    assert eventually(lambda: children() == set())


@linux
def test_a_worker_that_is_killed_once_is_started_again(one_by_one):
    killed = []

    def kill():
        if not killed:
            killed.extend(children())
            os.kill(killed[0], signal.SIGKILL)
        return FILES[4]

    pictures = [*PICTURES[:4], kill, *PICTURES[5:]]
    found = predict(
        builders.classifier(), pictures, VECTORS, recipe_for, settings=PoolSettings(workers=1, cache=None)
    )
    assert killed
    np.testing.assert_array_equal(found.outputs, one_by_one)


def test_faults_of_the_caller_s_functions_come_back_as_they_are():
    def wrong(facts):
        raise KeyError("recipe")

    with pytest.raises(KeyError, match="recipe"):
        predict(builders.classifier(), PICTURES, VECTORS, wrong)


def test_progress_counts_up_to_the_total_in_the_caller_s_thread():
    calls = []
    predict(
        builders.classifier(),
        PICTURES,
        VECTORS,
        recipe_for,
        progress=lambda done, total: calls.append((done, total, threading.get_ident())),
    )
    assert [total for _, total, _ in calls] == [9] * len(calls)
    assert [done for done, _, _ in calls] == sorted({done for done, _, _ in calls})
    assert (calls[0][0], calls[-1][0]) == (0, 9)
    assert {thread for _, _, thread in calls} == {threading.get_ident()}


@linux
@pytest.mark.parametrize(
    "model", [builders.endless_loop(), builders.folding_bomb()], ids=["running", "loading"]
)
def test_cancelling_ends_the_workers_at_once(model):
    asked = []

    def cancelled() -> bool:
        if not asked and len(children()) >= 1:
            time.sleep(0.4)
            asked.append(time.monotonic())
        return bool(asked)

    with pytest.raises(Cancelled):
        predict(model, PICTURES, None, recipe_for, cancelled=cancelled)
    assert time.monotonic() - asked[0] < 3
    assert children() == set()


@linux
def test_an_exception_in_progress_ends_the_workers():
    def progress(done, total):
        raise RuntimeError("the page was left")

    with pytest.raises(RuntimeError, match="left"):
        predict(builders.classifier(), PICTURES, VECTORS, recipe_for, progress=progress)
    assert children() == set()


@pytest.mark.parametrize(("cores", "asked", "started"), [(2, None, 2), (1, None, 1), (1, 2, 2)])
def test_a_call_alone_starts_a_worker_for_each_core_or_as_many_as_asked(monkeypatch, cores, asked, started):
    class Counted(model_pool.OwnProcesses):
        def open(self, model, settings, stop):
            opened.append(threading.get_ident())
            return super().open(model, settings, stop)

    opened = []
    monkeypatch.setattr(model_pool, "cores", lambda: cores)
    monkeypatch.setattr(model_pool, "_PLACES", FairSemaphore(2))
    settings = PoolSettings(workers=asked, processes=Counted())
    predict(builders.classifier(), PICTURES, VECTORS, recipe_for, settings=settings)
    assert len(set(opened)) == started


@linux
def test_calls_at_the_same_time_have_fewer_workers_each_and_leave_no_place_taken():
    most, over = [0], threading.Event()
    bound = sum(max(1, model_pool.cores() // calls) for calls in (1, 2, 3, 4))

    def count():
        while not over.wait(0.005):
            most[0] = max(most[0], len(children()))

    counting = threading.Thread(target=count)
    counting.start()
    results = []
    calls = [
        threading.Thread(
            target=lambda: results.append(predict(builders.classifier(), PICTURES, VECTORS, recipe_for))
        )
        for _ in range(4)
    ]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    over.set()
    counting.join()
    assert len(results) == 4
    assert 1 <= most[0] <= bound
    assert model_pool._PLACES._free == model_pool.cores()


@given(st.sampled_from([(1, 11), (11,), (1,), (), (1, 1), (2, 11), (1, 11, 1)]), st.integers(0, 2**32 - 1))
def test_the_first_output_loses_a_leading_axis_of_one_and_no_bit(shape, seed):
    values = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    output = model_pool.first_output(ModelOutput((values, None), None, 0.0, None))
    assert output.shape == (shape[1:] if shape[:1] == (1,) else shape)
    assert output.dtype == np.float64
    assert np.ravel(output).tolist() == np.ravel(values).tolist()


@pytest.mark.parametrize("outputs", [(), (None,), (None, np.zeros(3, np.float32))])
def test_a_first_output_that_is_no_tensor_of_numbers_is_refused(outputs):
    with pytest.raises(ModelFailed, match="wrong-output"):
        model_pool.first_output(ModelOutput(outputs, None, 0.0, None))
