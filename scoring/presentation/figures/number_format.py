"""Number format of figures: fixed decimals, a true minus sign, and a dash for undefined numbers."""

import math
from collections.abc import Sequence

UNDEFINED = "–"
MINUS = "−"


def decimal(value: float | None, digits: int, sign: bool = False) -> str:
    """Return a number as text.

    Args:
        value: The number; None, NaN and infinity become a dash.
        sign: Whether positive numbers get a plus sign.

    Example:
        >>> decimal(-0.125, 2), decimal(None, 2)
        ('−0.12', '–')
    """
    if value is None or not math.isfinite(value):
        return UNDEFINED
    # Adding 0.0 turns a rounded negative zero into zero.
    return f"{round(value, digits) + 0.0:{'+' if sign else ''}.{digits}f}".replace("-", MINUS)


def points(share: float | None, digits: int = 2) -> str:
    """Return a score as points out of 100.

    Args:
        share: The score, 0..1; None and NaN become a dash.
    """
    return decimal(None if share is None else 100 * share, digits)


def share(value: float | None, digits: int = 3) -> str:
    """Return a share as text.

    Args:
        value: The share, 0..1; None and NaN become a dash.
    """
    return decimal(value, digits)


def percent(value: float | None) -> str:
    """Return a share, 0..1, as whole percent without a space; None and NaN become a dash."""
    text = decimal(None if value is None else 100 * value, 0)
    return text if text == UNDEFINED else f"{text}%"


def span(pair: Sequence[float | None] | None, digits: int, scale: float = 1.0, sign: bool = False) -> str:
    """Return an interval as "a to b".

    Args:
        pair: The two ends; a dash if there is no interval or an end is undefined.
        scale: Number by which each end is multiplied.
        sign: Whether positive ends get a plus sign.
    """
    if pair is None:
        return UNDEFINED
    ends = [scale * v for v in pair if v is not None and math.isfinite(v)]
    return " to ".join(decimal(v, digits, sign) for v in ends) if len(ends) == len(pair) else UNDEFINED
