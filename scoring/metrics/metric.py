"""The type `Metric`: name, direction, range, parameters, pitfall and formula.

A formula takes the cases of a task (`scoring.metrics.task_cases`), weights [B, N] with one row per replicate,
and parameters. It returns one value per replicate [B], NaN if undefined.
"""

import importlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from scoring.common.arrays import Floats
from scoring.metrics.task_cases import Cases, MultilabelCases

TASKS = (
    "classification",
    "multilabel",
    "ordinal",
    "regression",
    "survival",
    "segmentation",
    "points",
    "boxes",
)
Better = Literal["higher", "lower"]
OVER_LABELS = "kappa_and_class_metrics:over_labels"
"""Function that computes a metric for several labels per case from its version for one label."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a metric.

    Attributes:
        kind: Type of the value; an integer is accepted as a `float`.
        default: Value if none is given; `about` explains the meaning of None.
        allowed: Lowest and highest value, or the allowed words; () allows any value, such as the name of a
            class.
        about: Meaning, with unit.
    """

    kind: type[float] | type[int] | type[str]
    default: float | str | None
    allowed: tuple[float, float] | tuple[str, ...]
    about: str

    def problem(self, value: object) -> str | None:
        """Return the problem of a value as a clause "must be ..."; None if the value is valid."""
        if self.kind is str:
            if not isinstance(value, str) or (self.allowed and value not in self.allowed):
                return (
                    f"must be one of {', '.join(map(str, self.allowed))}" if self.allowed else "must be text"
                )
            return None
        low, high = (float(end) for end in self.allowed)
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
        number = float(value) if whole or isinstance(value, float) else math.nan  # type: ignore[arg-type]
        if (self.kind is int and not whole) or not low <= number <= high or math.isinf(number):
            upper = f"to {high:g}" if math.isfinite(high) else "or more"
            return f"must be a {'whole ' * (self.kind is int)}number, {low:g} {upper}"
        return None


@dataclass(frozen=True)
class Metric:
    """A metric for one or several tasks.

    Attributes:
        name: Name in files and on the command line; it never changes.
        range: Lowest and highest value, infinite if there is no limit.
        needs: What predictions must contain: "labels" (which can be derived from scores), "scores" (of any
            scale), "probabilities", "values", "risks", "masks", "points" or "boxes".
        formula: The function that computes it, as "module:function".
        pitfall: A sentence about how the metric can mislead.
        measures: For masks, points and boxes: the function that measures one case, as "module:function".
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    better: Better
    range: tuple[float, float]
    needs: str
    formula: str
    defined: str
    source: str
    pitfall: str
    other_names: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    measures: str = ""

    def compute(self, cases: Cases, weights: Floats, **parameters: Any) -> Floats:
        """Return the metric of every replicate.

        Args:
            weights: Weights of the cases [B, N], at least 0.
            parameters: Values by parameter name; missing parameters have their default.

        Returns:
            Values [B]; NaN if undefined.

        Raises:
            ValueError: If a parameter is unknown or its value is not allowed.
        """
        chosen, formula = self._checked(parameters), _function(self.formula)
        if isinstance(cases, MultilabelCases):
            formula = partial(_function(OVER_LABELS), formula)
        values: Floats = formula(cases, weights, **chosen)
        return values

    def measure(self, *case: Any, **parameters: Any) -> Any:
        """Return the measurements of one case, from which `compute` then computes the metric. For masks,
        points and boxes, this is the slow step.

        Args:
            case: The case; its type depends on the function in `measures`.
            parameters: As in `compute`.
        """
        measured, chosen = _function(self.measures), self._checked(parameters)
        names = inspect.signature(measured).parameters
        return measured(*case, **{name: value for name, value in chosen.items() if name in names})

    def problems(self, parameters: Mapping[str, object]) -> dict[str, str]:
        """Check parameters and return the problem of each invalid one as a clause, by name."""
        problems = {}
        for name, value in parameters.items():
            if name not in self.parameters:
                others = ", ".join(self.parameters) or "none"
                problems[name] = f"is not a parameter of {self.name}, which has {others}"
            elif value is not None and (problem := self.parameters[name].problem(value)):
                problems[name] = problem
        return problems

    def _checked(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters under the names of the formula's arguments."""
        for name, problem in self.problems(parameters).items():
            raise ValueError(f"{name} {problem}")
        values = {name: p.default for name, p in self.parameters.items()} | dict(parameters)
        return {"of" if name == "class" else name: value for name, value in values.items()}


def _function(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(f"scoring.metrics.{module}"), name)
    return function
