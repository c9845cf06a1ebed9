"""Number format of figures: fixed decimals, a true minus sign, and a dash for undefined numbers."""

import math
from collections.abc import Sequence

UNDEFINED = "–"
MINUS = "−"
ROUNDING = 1e-6


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


def score(value: float) -> str:
    """Return a score, 0..1, with two decimals. Only scores of 1 and 0, up to rounding errors of float32, are
    shown as 1.00 and 0.00.

    Example:
        >>> score(0.999), score(1.0), score(0.001)
        ('>0.99', '1.00', '<0.01')
    """
    shown, nearest = f"{value:.2f}", round(value)
    if float(shown) != nearest or abs(value - nearest) <= ROUNDING:
        return shown
    return ">0.99" if nearest else "<0.01"


def share(value: float | None, digits: int = 3) -> str:
    """Return a share as text.

    Args:
        value: The share, 0..1; None and NaN become a dash.
    """
    return decimal(value, digits)


def percent(value: float | None) -> str:
    """Return a share, 0..1, as whole percent without a space; None and NaN become a dash. Halves are rounded
    up."""
    if value is None or not math.isfinite(value):
        return UNDEFINED
    return f"{math.floor(100 * value + 0.5 + ROUNDING)}%"


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
