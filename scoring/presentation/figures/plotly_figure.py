"""Plotly figure stored as its JSON dictionary; Plotly's objects are built only on access."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

Properties = dict[str, Any]
"""Nested properties of a figure, with Plotly's names and without values of None."""
AS_THEY_ARE = frozenset({"template", "range", "geojson", "layer", "layers"})
"""Properties that are used unchanged, because they never contain arrays."""
NESTED = frozenset({dict, list, tuple})
SENT = frozenset({"i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"})
"""NumPy types of numbers that plotly.js can read from bytes."""
MANY = 64
"""Arrays of at least this length are sent to the browser with seven digits, which is enough to draw them.
Downloads have all digits."""


class Drawing(go.Figure):  # type: ignore[misc]
    """A Plotly figure, stored as its JSON dictionary; Plotly objects are built only on access.

    Plotly spends most of a figure's time on creating an object for every trace and axis, copying them twice,
    and searching them for arrays. Pages and reports do not need this.
    """

    _description: Properties
    _packed: Properties | None

    def __init__(self, description: Properties) -> None:
        """description: Dictionary with "data" and "layout". It is not checked, and the caller must not change
        it afterwards."""
        self._description = description
        self._packed = None

    def __getattr__(self, name: str) -> Any:
        """Create Plotly's objects when one of them is used for the first time."""
        own = vars(self)
        if name.startswith("__") or "_validate" in own or "_description" not in own:
            raise AttributeError(name)
        super().__init__(self._description, _validate=False)
        return getattr(self, name)

    @property
    def question(self) -> str:
        """The question that the figure answers."""
        return str(self._description["layout"]["meta"]["question"])

    @property
    def traces(self) -> Sequence[Properties]:
        """Traces of the figure, which must not be changed."""
        traces: Sequence[Properties] = self._description["data"]
        return traces

    @property
    def own_layout(self) -> Properties:
        """Layout of the figure with its template, which must not be changed."""
        layout: Properties = self._description["layout"]
        return layout

    def to_dict(self) -> Properties:
        """Return the JSON dictionary of the figure, with arrays as bytes. The dictionary must not be
        changed."""
        if "_validate" in vars(self):  # Plotly's objects are there, and may have been changed
            changed: Properties = super().to_dict()
            return changed
        if self._packed is None:
            self._packed = _packed(self._description)
        return self._packed


def _packed(properties: Properties) -> Properties:
    """Return properties with arrays as Plotly sends them."""
    return {
        name: value
        if name in AS_THEY_ARE
        else _array(value)
        if isinstance(value, np.ndarray)
        else _parts(value)
        for name, value in properties.items()
    }


def _parts(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return _packed(value)
    if (kind is list or kind is tuple) and not NESTED.isdisjoint(map(type, value)):
        return kind(map(_parts, value))
    return value


def _array(values: np.ndarray) -> Any:
    """Return numbers as plotly.js reads them from bytes: whole ones in the smallest kind that holds them,
    many others in single precision."""
    if values.size and values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        values = _narrowed(values)
    if values.dtype == np.float64 and values.size >= MANY:
        values = values.astype(np.float32)
    kind = values.dtype.str[1:]
    if kind not in SENT or not values.size:
        return values
    sent = {"dtype": kind, "bdata": b64encode(values.tobytes()).decode("ascii")}
    return sent | ({"shape": ", ".join(map(str, values.shape))} if values.ndim > 1 else {})


def _narrowed(values: np.ndarray) -> np.ndarray:
    least, most = values.min(), values.max()
    for size in "124":
        limits = np.iinfo(values.dtype.kind + size)
        if limits.min <= least and most <= limits.max:
            return values.astype(limits.dtype)
    return values
