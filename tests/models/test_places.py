"""Places are given in order, and passed on piece by piece."""

import threading

import numpy as np
import pytest

from scoring.models import pool
from scoring.models.places import Places
from scoring.models.preprocessing import Recipe
from tests.models import builders
from tests.models.test_preprocessing import encoded, photograph

PATIENCE = 30


def recipe_for(facts):
    return Recipe(((16, 16, "lanczos"),))


def never() -> bool:
    return False


def waiting(places: Places, count: int) -> None:
    """Wait until so many wait for a place."""
    ready = threading.Event()
    while len(places._waiting) < count:
        ready.wait(0.001)


def test_two_that_have_much_to_do_take_turns():
    places, order = Places(1), []
    begin = threading.Event()

    def work(name: str) -> None:
        assert places.acquire(never)
        assert begin.wait(PATIENCE)
        for _ in range(4):
            order.append(name)
            assert places.pass_on(never)
        places.release()

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    threads[0].start()
    threads[1].start()
    waiting(places, 1)
    begin.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert "".join(order) in ("abababab", "babababa")
    assert places._free == 1


def test_who_gives_up_leaves_the_line():
    places, given_up = Places(1), threading.Event()
    assert places.acquire(never)
    found = []
    thread = threading.Thread(target=lambda: found.append(places.acquire(given_up.is_set)))
    thread.start()
    waiting(places, 1)
    given_up.set()
    thread.join(PATIENCE)
    assert found == [False]
    assert places.pass_on(never)
    places.release()
    assert places._free == 1


@pytest.mark.parametrize("others", [1, 3])
def test_a_run_of_one_image_ends_while_a_long_one_goes_on(monkeypatch, others):
    """On one core, with a long run that would hold it for good."""
    monkeypatch.setattr(pool, "_PLACES", Places(1))
    data, model = encoded(photograph(), "JPEG"), builders.classifier(vector=False)
    short_ended, begun = threading.Event(), threading.Event()

    def read() -> bytes:
        begun.set()
        return data

    def run_long() -> None:
        with pytest.raises(pool.Cancelled):
            pool.predict(model, [read] * 100_000, None, recipe_for, cancelled=short_ended.is_set)

    long = threading.Thread(target=run_long)
    long.start()
    assert begun.wait(PATIENCE)
    try:
        for _ in range(others):
            found = pool.predict(model, [lambda: data], None, recipe_for)
            assert np.isfinite(found.outputs[0]).all()
            assert long.is_alive()
    finally:
        short_ended.set()
        long.join(PATIENCE)
    assert pool._PLACES._free == 1
