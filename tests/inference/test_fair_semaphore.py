"""Places are shared by time, and passed on piece by piece."""

import threading

import numpy as np
import pytest

from scoring.inference import model_pool
from scoring.inference.fair_semaphore import FairSemaphore
from scoring.inference.preprocessing import Recipe
from tests.inference import builders
from tests.inference.test_preprocessing import encoded, photograph

PATIENCE = 30


def recipe_for(facts):
    return Recipe(((16, 16, "lanczos"),))


def never() -> bool:
    return False


def waiting(places: FairSemaphore, count: int) -> None:
    """Wait until so many wait for a place."""
    ready = threading.Event()
    while len(places._waiting) < count:
        ready.wait(0.001)


@pytest.fixture
def now(monkeypatch) -> list[float]:
    time = [0.0]
    monkeypatch.setattr("scoring.inference.fair_semaphore.monotonic", lambda: time[0])
    return time


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(1, 1, "abababab"), (20, 1, "a" + "b" * 20 + "a" + "b" * 6)]
)
def test_places_are_shared_by_time(now, a, b, expected):
    """However long a piece of work takes: of one 20 s, of the other 1 s."""
    places, order, begin = FairSemaphore(1), [], threading.Event()
    seconds, pieces = {"a": a, "b": b}, {name: expected.count(name) for name in "ab"}

    def work(name: str) -> None:
        share = places.join()
        turn = places.acquire(share, never)
        assert begin.wait(PATIENCE)
        for piece in range(pieces[name]):
            order.append(name)
            now[0] += seconds[name]
            if piece + 1 < pieces[name]:
                assert places.pass_on(turn, never)
        places.release(turn)
        places.leave(share)

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    threads[0].start()
    ready = threading.Event()
    while places._free:
        ready.wait(0.001)
    threads[1].start()
    waiting(places, 1)
    begin.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert "".join(order) == expected
    assert (places._free, places._shares) == (1, [])


def test_who_comes_later_starts_where_the_others_are(now):
    """Not with all the time that they used before."""
    places = FairSemaphore(1)
    first = places.join()
    turn = places.acquire(first, never)
    now[0] = 1000.0
    assert places.pass_on(turn, never)
    assert places.join().seconds == first.seconds == 1000


def test_who_gives_up_leaves_the_line():
    places, given_up = FairSemaphore(1), threading.Event()
    turn = places.acquire(places.join(), never)
    found = []
    thread = threading.Thread(target=lambda: found.append(places.acquire(places.join(), given_up.is_set)))
    thread.start()
    waiting(places, 1)
    given_up.set()
    thread.join(PATIENCE)
    assert found == [None]
    places.release(turn)
    assert places._free == 1


@pytest.mark.parametrize("others", [1, 3])
def test_a_run_of_one_image_ends_while_a_long_one_goes_on(monkeypatch, others):
    """On one core, with a long run that would hold it for good."""
    monkeypatch.setattr(model_pool, "_PLACES", FairSemaphore(1))
    data, model = encoded(photograph(), "JPEG"), builders.classifier(vector=False)
    short_ended, begun = threading.Event(), threading.Event()

    def read() -> bytes:
        begun.set()
        return data

    def run_long() -> None:
        with pytest.raises(model_pool.Cancelled):
            model_pool.predict(model, [read] * 100_000, None, recipe_for, cancelled=short_ended.is_set)

    long = threading.Thread(target=run_long)
    long.start()
    assert begun.wait(PATIENCE)
    try:
        for _ in range(others):
            found = model_pool.predict(model, [lambda: data], None, recipe_for)
            assert np.isfinite(found.outputs[0]).all()
            assert long.is_alive()
    finally:
        short_ended.set()
        long.join(PATIENCE)
    assert model_pool._PLACES._free == 1
