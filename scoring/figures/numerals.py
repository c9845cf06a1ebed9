"""Numbers as people read them: a fixed number of decimals, a true minus sign, a dash where a number is
undefined."""

import math
from collections.abc import Sequence

UNDEFINED = "–"
MINUS = "−"


def decimal(value: float | None, digits: int, sign: bool = False) -> str:
    """The number with `digits` decimals; with `sign` also a plus. None and NaN give a dash."""
    if value is None or not math.isfinite(value):
        return UNDEFINED
    # Adding 0.0 turns a rounded negative zero into zero.
    return f"{round(value, digits) + 0.0:{'+' if sign else ''}.{digits}f}".replace("-", MINUS)


def points(share: float | None, digits: int = 2) -> str:
    """A score 0..1 as points of 100."""
    return decimal(None if share is None else 100 * share, digits)


def share(value: float | None, digits: int = 3) -> str:
    return decimal(value, digits)


def percent(value: float | None) -> str:
    """A share 0..1 in whole percent, without blank."""
    text = decimal(None if value is None else 100 * value, 0)
    return text if text == UNDEFINED else f"{text}%"


def span(pair: Sequence[float | None] | None, digits: int, scale: float = 1.0, sign: bool = False) -> str:
    """An interval, "a to b", each end times `scale`; a dash where there is none."""
    if pair is None or any(v is None or not math.isfinite(v) for v in pair):
        return UNDEFINED
    return " to ".join(decimal(scale * v, digits, sign) for v in pair)
