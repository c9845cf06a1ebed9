"""Say of an input that was read with changes what was changed, in findings and provenance."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Protocol, TypeVar, cast

from scoring.common.findings import Finding, note
from scoring.common.fixes import SuggestedFix
from scoring.core.scorecard import ScoreCard
from scoring.inputs.sources import Mended, Source

MENDED = "mended"
"""Code of the note about what was changed of an input before it was read."""


class NamedInput(Protocol):
    """Something that was read."""

    @property
    def name(self) -> str: ...
    @property
    def findings(self) -> Sequence[Finding]: ...


Read = TypeVar("Read", bound=NamedInput)


def with_note(found: Read, source: Source) -> Read:
    """Return what was read with a note about what was changed of its files before.

    Args:
        found: What a reader made of the source.
        source: The source; as it is where nothing was changed of it.
    """
    if not isinstance(source, Mended) or not (changes := source.changes.of_files):
        return found
    words = f"read with changes: {changes.words()}. The official program needs this in the file itself."
    said = note(MENDED, found.name, words).mended_by(SuggestedFix("", changes))
    names = {entry.name for entry in fields(cast(Any, found))}
    name = "findings" if "findings" in names else "read"  # HECKTOR adds what is missing to what was read
    return cast(Read, replace(cast(Any, found), **{name: (*getattr(found, name), said)}))


def with_provenance(card: ScoreCard) -> ScoreCard:
    """Return the card with the changes of its inputs as provenance `mended`; as it is, without any."""
    changed = [mend.changes.as_dict() for f in card.findings if f.code == MENDED for mend in f.mends]
    return replace(card, provenance={**card.provenance, "mended": changed}) if changed else card
