"""Differences to the first team, with intervals that are simultaneous over all pairs."""

from dataclasses import dataclass

from scoring.comparison.compare import Comparison


@dataclass(frozen=True)
class Difference:
    """A team's score less the first one's: simultaneous interval, Holm's p; None without replicates."""

    team: str
    difference: float
    simultaneous_interval: list[float] | None
    separated: bool | None
    p_adjusted: float | None


def differences(found: Comparison) -> tuple[Difference, ...]:
    """Return the differences of all other scored teams, best first."""
    return tuple(
        Difference(
            found.scored[pair.b],
            -pair.difference,
            _turned(pair.simultaneous_interval),
            pair.separated,
            pair.p_adjusted,
        )
        for pair in found.result.pairs
        if pair.a == 0
    )


def _turned(interval: list[float] | None) -> list[float] | None:
    return None if interval is None else [-end for end in reversed(interval)]
