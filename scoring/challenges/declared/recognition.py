"""Recognition of a table by its headings: the declared challenges whose truth or predictions have them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from scoring.challenges.declared import library
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.reading import label_column, number_columns, truth_columns
from scoring.common.findings import InputRefused
from scoring.inputs.tables import key


class Fit(NamedTuple):
    """An input that a table fits. challenge: its id; title: of the challenge."""

    challenge: str
    title: str
    slot: Literal["truth", "submission"]


def fits(header: Sequence[str], opened: Iterable[str] = ()) -> list[Fit]:
    """Return the inputs whose columns a table has: of opened challenges, own files, then the gallery; those
    of masks have none."""
    known, found = {key(heading) for heading in header}, dict[Fit, None]()
    for declaration in _declarations(opened):
        if declaration.task == "segmentation":
            continue
        of_truth = [(declaration.truth.case, ""), *truth_columns(declaration)]
        predicted = [*label_column(declaration), *number_columns(declaration)]
        if {key(name) for name, _ in of_truth} <= known:
            found[Fit(declaration.id, declaration.about.title, "truth")] = None
        if {key(name) for name, _ in [(declaration.predictions.case, ""), *predicted]} <= known:
            found[Fit(declaration.id, declaration.about.title, "submission")] = None
    return [*found]


def _declarations(opened: Iterable[str]) -> Iterator[Declaration]:
    yield from filter(None, map(library.declaration_of, opened))
    for file in library.known():
        with suppress(InputRefused):
            yield file.declaration
