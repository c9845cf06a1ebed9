"""Lazy functions: named as "module:object" and imported on the first call."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Lazy:
    """A function that a challenge names without importing its module.

    Attributes:
        reference: "module:object", e.g. "scoring.challenges.puma.views:views".
    """

    reference: str

    def resolve(self) -> Callable[..., Any]:
        """Import the function."""
        module, _, name = self.reference.partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.resolve()(*args, **kwargs)
