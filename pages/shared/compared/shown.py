"""What all tabs of the page that compares teams are given, and how they put it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

from pages.shared.text import markdown
from scoring.comparison import Comparison
from scoring.figures.numerals import decimal, span

MANY = 15
"""Teams up to which all are drawn; beyond, the first of them and the chosen one."""


@dataclass(frozen=True)
class Scale:
    """How scores are shown. factor: shown = factor x score. unit: in words."""

    factor: float
    digits: int
    unit: str

    def number(self, value: float | None, sign: bool = False) -> str:
        return decimal(None if value is None else self.factor * value, self.digits, sign)

    def span(self, pair: Sequence[float] | None, sign: bool = False) -> str:
        return span(pair, self.digits - 1 if self.factor > 1 else self.digits, self.factor, sign)

    def scaled(self, pair: Sequence[float] | None) -> list[float] | None:
        return None if pair is None else [self.factor * v for v in pair]


@dataclass(frozen=True)
class Compared:
    """What the tabs show. shown: places, in `comparison.scored`, of the teams that are drawn. key: of all that it was made of."""

    challenge: ModuleType
    comparison: Comparison
    truth: object
    truth_key: str
    key: tuple
    scale: Scale
    shown: Sequence[int]

    @property
    def names(self) -> list[str]:
        """The teams that are drawn, best first."""
        return [self.comparison.scored[place] for place in self.shown]

    @property
    def method(self) -> str:
        """n, unit, replicates and seed, for captions."""
        source, result = self.comparison.provenance, self.comparison.result
        n = next(iter(self.comparison.cards.values())).n_cases
        if result.rank_intervals is None:
            return f"n = {n}, no replicates."
        return f"n = {n}, paired bootstrap over {units(source)}, B = {source['resamples']}, seed {source['seed']}."

    @property
    def few(self) -> str:
        """Which of many teams are drawn, for captions."""
        total = len(self.comparison.scored)
        return "" if len(self.shown) == total else f"{len(self.shown)} of {total} teams are drawn: the first {MANY} and the chosen one. "


def units(provenance) -> str:
    """How many units were resampled, in words. Markdown of our own."""
    number, unit = provenance["n_units"], provenance["unit"]
    return f"{number} cases" if unit == "case" else f"{number} units ({markdown(unit)})"


def named(metric: str) -> str:
    """A key of `metrics` as people write it."""
    words = metric.replace("_", " ")
    for short, usual in (("f1", "F1"), ("f2", "F2"), ("auc", "AUC"), ("c index", "C-index"), ("gtvp", "GTVp"), ("gtvn", "GTVn")):
        words = re.sub(rf"\b{short}\b", usual, words)
    return words
