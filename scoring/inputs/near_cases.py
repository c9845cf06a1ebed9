"""Cases that were probably meant where none of the names fits, as mends that take off a prefix or suffix."""

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from scoring.common.fixes import ANY, SuggestedFix, renaming
from scoring.inputs.table_edits import case_parts

LEAST = 0.5
"""Share of the names that must fit without the prefix or suffix."""
COMPARED = 500
"""Names that are compared."""
LONGEST = 200
"""Characters of a name that is compared."""


def without_affix(names: Iterable[str], cases: Iterable[str]) -> tuple[SuggestedFix, ...]:
    """Return the mend that reads names of cases without what they all have before or after them; none where
    that fits too few.

    Args:
        names: Those that fit no case, with or without folder and ending.
        cases: Names of the test set.
    """
    known = {case_parts(case)[1] for case in cases}
    stems = [stem for name in islice(names, COMPARED) if len(stem := case_parts(name)[1]) <= LONGEST]
    found: Counter[str] = Counter()
    for stem in stems:
        found.update(f"{stem[:cut]}{ANY}" for cut in range(1, len(stem)) if stem[cut:] in known)
        found.update(f"{ANY}{stem[cut:]}" for cut in range(1, len(stem)) if stem[:cut] in known)
    pattern, count = max(found.items(), key=lambda item: item[1], default=("", 0))
    return (renaming("case", ((pattern, ANY),)),) if count and count >= LEAST * len(stems) else ()
