"""Recognition of a table by its headings: the declared challenges whose truth or predictions have them."""

from collections.abc import Iterable, Iterator, Sequence
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
    """Return the inputs whose columns a table has: of opened challenges, own files, then the gallery."""
    known = {key(heading) for heading in header}
    found: dict[Fit, None] = {}
    for declaration in _declarations(opened):
        for slot, columns in _columns(declaration).items():
            if {*map(key, columns)} <= known:
                found[Fit(declaration.id, declaration.about.title, slot)] = None
    return [*found]


def _declarations(opened: Iterable[str]) -> Iterator[Declaration]:
    for challenge_id in opened:
        declaration = library.declaration_of(challenge_id)
        if declaration is not None:
            yield declaration
    for file in library.known():
        try:
            challenge = library.of_file(file.path)
        except InputRefused:
            continue
        declaration = library.declaration_of(challenge.id)
        if declaration is not None:
            yield declaration


def _columns(declaration: Declaration) -> dict[Literal["truth", "submission"], list[str]]:
    """Return the columns that a truth and a submission need; none for masks."""
    if declaration.task == "segmentation":
        return {}
    predicted = [*label_column(declaration), *number_columns(declaration)]
    return {
        "truth": [declaration.truth.case, *(name for name, _ in truth_columns(declaration))],
        "submission": [declaration.predictions.case, *(name for name, _ in predicted)],
    }
