"""Few cases: the finding about classes that are too small for an honest interval."""

from collections.abc import Iterator, Mapping

from scoring.common.findings import SMALL_CLASS, Finding, warning


def few_cases(
    supports: Mapping[str, int], consequence: str = "interval of F1 too narrow"
) -> Iterator[Finding]:
    """Yield `few-cases-in-class` for every class that has cases, but few.

    Args:
        supports: Number of cases by class.
        consequence: What that does to its intervals.
    """
    for name, n in supports.items():
        if 0 < n < SMALL_CLASS:
            sentence = f"{n} case{'s' * (n > 1)}: {consequence} below {SMALL_CLASS} cases."
            yield warning("few-cases-in-class", name, sentence)
