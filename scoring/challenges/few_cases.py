"""Few cases: the finding about classes that are too small for a narrow interval."""

from collections.abc import Iterator, Mapping

from scoring.common.findings import SMALL_CLASS, Finding, warning
from scoring.statistics.intervals import WILSON_T


def consequence(interval: str, n: int, kind: str | None) -> str:
    """Return what few cases do to an interval, as a part of a sentence.

    Args:
        what: The interval: "interval of F1".
        n: Number of cases, at least 1.
        kind: How intervals were computed (`provenance.interval`).
    """
    if kind not in (WILSON_T, None):
        return f"{interval} too narrow below {SMALL_CLASS}"
    return f"{interval} wide below {SMALL_CLASS}" if n > 1 else "too few for an interval, below 2"


def few_cases(
    supports: Mapping[str, int], kind: str | None, what: str = "interval of F1"
) -> Iterator[Finding]:
    """Yield `few-cases-in-class` for every class that has cases, but few.

    Args:
        supports: Number of cases by class.
    """
    for name, n in supports.items():
        if 0 < n < SMALL_CLASS:
            sentence = f"{n} case{'s' * (n > 1)}: {consequence(what, n, kind)} cases."
            yield warning("few-cases-in-class", name, sentence)
