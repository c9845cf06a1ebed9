"""Open models: a bounded number of worker processes that stay open between requests.

A model of a visitor's own has a process of its own, which makes way for others once it is idle. Models that
everybody may use have one process for all.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from scoring.common import limits
from scoring.common.arrays import Floats
from scoring.inference.preprocessing import Pixels, Recipe
from scoring.inference.process import LoadedModel, ModelProcess
from scoring.inference.results import ModelFacts, ModelOutput

MOST_MODELS = limits.OPEN_MODELS.value
IDLE_SECONDS = 15
"""A model that ran no image for so long makes way when others wait."""
LEFT_SECONDS = 10
"""Who asks no more for so long has left the line."""

Start = Callable[[bytes], LoadedModel]
"""Loads a model."""


class NoPlace(Exception):
    """As many models are open as may be.

    Attributes:
        place: Place in the line; 1 is the next.
    """

    def __init__(self, place: int):
        super().__init__(f"place {place} in the line")
        self.place = place


class HeldModel:
    """A model of one visitor; one run at a time. Like a `ModelProcess`, and closed by `HeldModels` too."""

    def __init__(self, process: LoadedModel, visitor: str):
        self.visitor = visitor
        self._process, self._lock = process, threading.Lock()
        self.used = monotonic()

    @property
    def facts(self) -> ModelFacts:
        """What is known of the model."""
        return self._process.facts

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.ended

    @property
    def idle(self) -> bool:
        """Whether no image was run for long."""
        return not self._lock.locked() and monotonic() - self.used > IDLE_SECONDS

    def run(
        self,
        picture: bytes | Pixels,
        recipe: Recipe,
        vector: Floats | None = None,
        want_pixels: bool = False,
    ) -> ModelOutput:
        """Run the model on one image; see `ModelProcess.run`."""
        with self._lock:
            try:
                return self._process.run(picture, recipe, vector, want_pixels)
            finally:
                self.used = monotonic()

    def close(self) -> None:
        """End the process."""
        self._process.close()


class SharedModel:
    """A model that several visitors share, one run at a time. Like a `ModelProcess`.

    After `close` it counts as ended, so that everybody takes a new one; a run that waits is still done.
    """

    def __init__(self, model: bytes, start: Start):
        self._model, self._start = model, start
        self._process, self._lock = start(model), threading.Lock()
        self._closed = False
        self.facts = self._process.facts

    @property
    def ended(self) -> bool:
        """Whether a new one is to be taken."""
        return self._closed or self._process.ended

    def run(
        self,
        picture: bytes | Pixels,
        recipe: Recipe,
        vector: Floats | None = None,
        want_pixels: bool = False,
    ) -> ModelOutput:
        """Run the model on one image; see `ModelProcess.run`."""
        with self._lock:
            if self._process.ended:
                self._process = self._start(self._model)
            try:
                return self._process.run(picture, recipe, vector, want_pixels)
            finally:
                if self._closed:
                    self._process.close()

    def close(self) -> None:
        """End the process after the run under way: its memory may hold that image."""
        self._closed = True
        if self._lock.acquire(blocking=False):  # else the run under way closes it
            try:
                self._process.close()
            finally:
                self._lock.release()


class HeldModels:
    """The models that are open on this server; any thread may ask.

    Args:
        most: How many of visitors' own may be open at once.
        start: Loads a model.
    """

    def __init__(self, most: int = MOST_MODELS, start: Start = ModelProcess):
        self._most, self._start = most, start
        self._lock = threading.Lock()
        self._open: list[HeldModel] = []
        self._starting = 0
        self._line: OrderedDict[str, float] = OrderedDict()
        self._shared: dict[str, SharedModel] = {}
        self._sharing = threading.Lock()

    def open(self, model: bytes, visitor: str) -> HeldModel:
        """Open a visitor's own model, in place of the one before.

        Raises:
            NoPlace: The visitor stands in the line, and is to ask again soon.
            ModelFailed: It cannot be loaded.
        """
        with self._lock:
            self._take_place(visitor)
            self._starting += 1
        try:
            held = HeldModel(self._start(model), visitor)
            with self._lock:
                self._open.append(held)
            return held
        finally:
            with self._lock:
                self._starting -= 1

    def shared(self, model: bytes) -> SharedModel:
        """Return the one process of a model that everybody may use. Raises ModelFailed."""
        key = hashlib.sha256(model).hexdigest()
        with self._sharing:
            held = self._shared.get(key)
            if held is None or held.ended:
                held = self._shared[key] = SharedModel(model, self._start)
            return held

    def _take_place(self, visitor: str) -> None:
        """Make room for one more, or raise NoPlace."""
        now = monotonic()
        for held in [held for held in self._open if held.visitor == visitor]:
            held.close()
        self._open = [held for held in self._open if not held.ended]
        for other in [other for other, asked in self._line.items() if now - asked > LEFT_SECONDS]:
            del self._line[other]
        self._line[visitor] = now
        idle = sorted((held for held in self._open if held.idle), key=lambda held: held.used)
        free = max(0, self._most - len(self._open) - self._starting)
        before = list(self._line).index(visitor)
        # those before who are called have not asked again yet, and their places are kept for them
        if before >= free + len(idle):
            raise NoPlace(before - free - len(idle) + 1)
        del self._line[visitor]
        if not free:
            idle[0].close()
            self._open.remove(idle[0])
