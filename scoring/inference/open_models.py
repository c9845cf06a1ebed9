"""Open models: limits how many models run at once, and keeps them open between requests.

A visitor's own model has a process of its own, which is closed when it is idle and others wait. A model that
everybody may use has one process for all visitors.
"""

import hashlib
import threading
from collections.abc import Callable
from time import monotonic

from scoring.common import limits
from scoring.common.arrays import Floats
from scoring.inference.fair_semaphore import FairSemaphore, Ticket, Usage
from scoring.inference.model_process import LoadedModel, ModelProcess
from scoring.inference.preprocessing import Pixels, Recipe
from scoring.inference.worker_results import ModelFacts, ModelOutput

MOST_MODELS = limits.OPEN_MODELS.value
IDLE_SECONDS = 15
"""Idle time in seconds after which a model is closed if others wait."""
LEFT_SECONDS = 10
"""Time in seconds without a request after which a visitor is removed from the queue."""

Start = Callable[[bytes], LoadedModel]
"""Function from the bytes of a model file to the loaded model."""


class NoPlace(Exception):
    """Raised if the maximum number of models is open.

    Attributes:
        position: Position of the visitor in the queue; 1 is next.
    """

    def __init__(self, position: int):
        super().__init__(f"waiting: number {position} in the queue")
        self.position = position


class HeldModel:
    """A model that one visitor has opened. The model runs one image at a time and behaves like a
    `ModelProcess`. `HeldModels` may close the model at any time."""

    def __init__(self, process: LoadedModel, visitor: str, ticket: Ticket):
        self.visitor, self.ticket = visitor, ticket
        self._process, self._lock = process, threading.Lock()
        self.used = monotonic()

    @property
    def facts(self) -> ModelFacts:
        """Known facts about the model."""
        return self._process.facts

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.ended

    @property
    def idle(self) -> bool:
        """Whether no image has been run for a long time."""
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
    """A model that several visitors share. It runs one image at a time and behaves like a `ModelProcess`.

    After `close` the process counts as ended, so that everybody opens a new one. A run that is waiting
    already is still done.
    """

    def __init__(self, model: bytes, start: Start):
        self._model, self._start = model, start
        self._process, self._lock = start(model), threading.Lock()
        self._closed = False
        self.facts = self._process.facts

    @property
    def ended(self) -> bool:
        """Whether a new process is needed."""
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
        """End the process after the current run, because its memory may contain the image of this run."""
        self._closed = True
        if self._lock.acquire(blocking=False):  # else the run under way closes it
            try:
                self._process.close()
            finally:
                self._lock.release()


class HeldModels:
    """The open models of this server, for all threads. `most` is the maximum number of visitors' own open
    models."""

    def __init__(self, most: int = MOST_MODELS, start: Start = ModelProcess):
        self._places, self._start = FairSemaphore(most), start
        self._lock = threading.Lock()
        self._open: list[HeldModel] = []
        self._line: dict[str, tuple[Ticket, float]] = {}
        self._shared: dict[str, SharedModel] = {}
        self._sharing = threading.Lock()

    def open(self, model: bytes, visitor: str) -> HeldModel:
        """Open a visitor's own model, and close the visitor's previous one.

        Raises:
            NoPlace: If the visitor must wait. The caller should ask again soon, to stay in the queue.
            ModelFailed: If the model cannot be loaded.
        """
        with self._lock:
            ticket = self._take_place(visitor)
        try:
            held = HeldModel(self._start(model), visitor, ticket)
        except BaseException:
            self._places.release(ticket)
            raise
        with self._lock:
            self._open.append(held)
        return held

    def shared(self, model: bytes) -> SharedModel:
        """Return the process of a model that all visitors share; a new one if none is running. Raises
        ModelFailed if it does not start."""
        key = hashlib.sha256(model).hexdigest()
        with self._sharing:
            held = self._shared.get(key)
            if held is None or held.ended:
                held = self._shared[key] = SharedModel(model, self._start)
            return held

    def _take_place(self, visitor: str) -> Ticket:
        """Return the place of a visitor, or raise NoPlace. Idle models make way for who waits; a place is
        kept until its visitor asks again."""
        now = monotonic()
        for held in list(self._open):
            if held.visitor == visitor or held.ended:
                self._end(held)
        for other in [other for other, (_, asked) in self._line.items() if now - asked > LEFT_SECONDS]:
            self._places.withdraw(self._line.pop(other)[0])
        ticket = self._line[visitor][0] if visitor in self._line else self._places.request(Usage(0.0))
        self._line[visitor] = ticket, now
        for held in sorted((held for held in self._open if held.idle), key=lambda held: held.used):
            if ticket.called.is_set():
                break
            self._end(held)
        if not ticket.called.is_set():
            raise NoPlace(self._places.position(ticket))
        del self._line[visitor]
        return ticket

    def _end(self, held: HeldModel) -> None:
        held.close()
        self._open.remove(held)
        self._places.release(held.ticket)
