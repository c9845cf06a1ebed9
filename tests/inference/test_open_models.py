"""Models that stay open: bounded in number, idle ones make way, and who must wait knows the place."""

import threading

import pytest

from scoring.inference import open_models
from scoring.inference.open_models import HeldModels, NoPlace
from scoring.inference.preprocessing import Recipe
from scoring.inference.worker_results import ModelFailed

PATIENCE = 30
RECIPE = Recipe(())


class Fake:
    """A process that answers when it is let go."""

    def __init__(self, model: bytes):
        self.facts, self.ended = model, False
        self.asked, self.let_go = threading.Event(), threading.Event()
        self.let_go.set()

    def run(self, picture, recipe, vector=None, want_pixels=False):
        assert not self.ended
        self.asked.set()
        assert self.let_go.wait(PATIENCE)
        return picture

    def close(self) -> None:
        self.ended = True


@pytest.fixture
def now(monkeypatch) -> list[float]:
    time = [0.0]
    monkeypatch.setattr(open_models, "monotonic", lambda: time[0])
    return time


@pytest.fixture
def started() -> list[Fake]:
    return []


@pytest.fixture
def models(started) -> HeldModels:
    def start(model: bytes) -> Fake:
        started.append(Fake(model))
        return started[-1]

    return HeldModels(2, start)


def place_of(models: HeldModels, visitor: str) -> int:
    with pytest.raises(NoPlace) as full:
        models.open(b"m", visitor)
    return full.value.position


def test_beyond_the_cap_there_is_a_place_in_the_line(models, started, now):
    first, _ = models.open(b"a", "a"), models.open(b"b", "b")
    assert [place_of(models, visitor) for visitor in "cdc"] == [1, 2, 1]
    assert len(started) == 2
    first.close()
    assert place_of(models, "d") == 1, "the place is kept for who is before"
    assert models.open(b"c", "c").facts == b"c"
    assert place_of(models, "d") == 1


def test_who_is_idle_makes_way_and_who_was_idle_longest_first(models, started, now):
    older, newer = models.open(b"a", "a"), models.open(b"b", "b")
    now[0] = 10
    newer.run(b"", RECIPE)
    now[0] = 20
    assert models.open(b"c", "c").facts == b"c"
    assert (older.ended, newer.ended) == (True, False)
    assert place_of(models, "d") == 1


def test_who_is_at_work_does_not_make_way(models, started, now):
    busy, _ = models.open(b"a", "a"), models.open(b"b", "b")
    started[0].let_go.clear()
    thread = threading.Thread(target=busy.run, args=(b"", RECIPE))
    thread.start()
    assert started[0].asked.wait(PATIENCE)
    now[0] = 100
    models.open(b"c", "c")
    assert [process.ended for process in started] == [False, True, False]
    assert place_of(models, "d") == 1
    started[0].let_go.set()
    thread.join(PATIENCE)


def test_who_asks_no_more_leaves_the_line(models, now):
    models.open(b"a", "a"), models.open(b"b", "b")
    assert place_of(models, "c") == 1
    now[0] = 5
    assert place_of(models, "d") == 2
    now[0] = 11
    assert place_of(models, "d") == 1


def test_another_model_of_a_visitor_takes_the_place_of_the_one_before(models, started, now):
    models.open(b"a", "a"), models.open(b"b", "b")
    assert models.open(b"c", "a").facts == b"c"
    assert [process.ended for process in started] == [True, False, False]


def test_a_model_that_cannot_be_loaded_leaves_its_place(now):
    def start(model: bytes) -> Fake:
        if model == b"bad":
            raise ModelFailed("model-unreadable", "No model.")
        return Fake(model)

    models = HeldModels(1, start)
    for _ in range(3):
        with pytest.raises(ModelFailed):
            models.open(b"bad", "a")
    assert models.open(b"good", "b").facts == b"good"


def test_a_sample_model_has_one_process_for_all(models, started):
    assert models.shared(b"s") is models.shared(b"s")
    assert models.shared(b"t") is not models.shared(b"s")
    assert [process.facts for process in started] == [b"s", b"t"]


def test_a_shared_process_ends_when_somebody_left_and_nobody_notices(models, started):
    """Its memory may hold the last image."""
    mine = models.shared(b"s")
    mine.close()
    assert started[0].ended
    assert mine.ended
    assert mine.run(b"picture", RECIPE) == b"picture", "another visitor is about to ask"
    assert [process.ended for process in started] == [True, True]
    assert models.shared(b"s").run(b"picture", RECIPE) == b"picture"
    assert [process.ended for process in started] == [True, True, False]


def test_a_run_of_a_shared_process_is_finished_before_it_ends(models, started):
    shared, found = models.shared(b"s"), []
    started[0].let_go.clear()
    thread = threading.Thread(target=lambda: found.append(shared.run(b"picture", RECIPE)))
    thread.start()
    assert started[0].asked.wait(PATIENCE)
    shared.close()
    assert not started[0].ended
    started[0].let_go.set()
    thread.join(PATIENCE)
    assert (found, started[0].ended) == ([b"picture"], True)
