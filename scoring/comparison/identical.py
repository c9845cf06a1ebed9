"""Teams that sent the same predictions."""

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np

from scoring.common.findings import Finding, warning
from scoring.core.scorecard import ScoreCard


def groups(cards: Mapping[str, ScoreCard]) -> tuple[tuple[str, ...], ...]:
    """Return groups of teams whose aligned predictions are equal."""
    found: dict[bytes, list[str]] = {}
    for name, card in cards.items():
        found.setdefault(_fingerprint(card), []).append(name)
    return tuple(tuple(names) for names in found.values() if len(names) > 1)


def _fingerprint(card: ScoreCard) -> bytes:
    if "aligned" in card.arrays:
        return card.arrays["aligned"].tobytes()
    content = (
        np.ascontiguousarray(card.arrays["outputs"], float).tobytes()
        + np.ascontiguousarray(card.arrays["predicted"]).tobytes()
    )
    return hashlib.sha256(content).digest()


def findings(cards: Mapping[str, ScoreCard], same: tuple[tuple[str, ...], ...]) -> Iterator[Finding]:
    """Say which teams sent the same predictions. same: their `groups`."""
    for names in same:
        equal = len({cards[name].score for name in names}) == 1
        rest = (
            "their difference is exactly 0"
            if equal
            else "their scores differ by what was told beside them, such as a model's size"
        )
        yield warning(
            "identical-submissions",
            ", ".join(names),
            f"{len(names)} teams sent the same predictions; {rest}.",
        )
