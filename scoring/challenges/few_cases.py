"""Few cases: the finding about classes that are too small for a narrow interval."""

from collections.abc import Iterator, Mapping

from scoring.common.findings import SMALL_CLASS, Finding, warning
from scoring.statistics.intervals import WILSON_T


def how_wide(kind: str | None) -> str:
    """Return what few cases do to intervals of a kind (`provenance.interval`)."""
    return "wide" if kind in (WILSON_T, None) else "too narrow"


def few_cases(
    supports: Mapping[str, int], kind: str | None, what: str = "interval of F1"
) -> Iterator[Finding]:
    """Yield `few-cases-in-class` for every class that has cases, but few.

    Args:
        supports: Number of cases by class.
        kind: How intervals were computed.
        what: Which they are.
    """
    consequence = f"{what} {how_wide(kind)}"
    for name, n in supports.items():
        if 0 < n < SMALL_CLASS:
            sentence = f"{n} case{'s' * (n > 1)}: {consequence} below {SMALL_CLASS} cases."
            yield warning("few-cases-in-class", name, sentence)
