"""Legends: the names of traces, in rows above a figure or one below the other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.presentation.svg.words import TextLines, words

Properties = Mapping[str, Any]
ROW, SAMPLE, GAP = 19.0, 30.0, 10.0
"""Pixels of a row, of what stands before a name, and between two names."""


@dataclass(frozen=True)
class LegendItem:
    """A trace with its name."""

    trace: Properties
    words: TextLines

    @property
    def width(self) -> float:
        """Pixels with what stands before the name."""
        return SAMPLE + 5 + self.words.width


def entries(traces: Sequence[Properties], layout: Properties) -> list[LegendItem]:
    """Return what stands in the legend of a figure; nothing where it shows none."""
    if not layout.get("showlegend"):
        return []
    size = float(layout["legend"].get("font", {}).get("size", 12))
    return [
        LegendItem(trace, words(trace.get("name") or "", size))
        for trace in traces
        if trace.get("showlegend", True)
    ]


def height_above(legend: Sequence[LegendItem], width: float) -> float:
    """Return the pixels of a legend in rows above a plot."""
    return 8 + ROW * (1 + max((row for row, _, _ in in_rows(legend, width)), default=0))


def in_rows(legend: Sequence[LegendItem], width: float) -> Iterator[tuple[int, float, LegendItem]]:
    """Yield row, pixels from the left and entry of each name, side by side while there is room."""
    row, x = 0, 0.0
    for entry in legend:
        if x and x + entry.width > width:
            row, x = row + 1, 0.0
        yield row, x, entry
        x += entry.width + GAP
