"""An order of teams that a challenge defines itself."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.findings import Finding


@dataclass(frozen=True)
class Ranking:
    """What `challenge.standings(cards, **options of compare)` gives.

    ranks: place by team, shared places as 1, 1, 3. of_teams, more: further entries of each team and of the
    whole in `comparison.json`. options: how it was ordered, for the provenance. places: int [B] by team, its
    place in the replicates in which every scored team has a score; None where ranks are as certain as the
    scores are separated.
    """

    ranks: Mapping[str, int]
    of_teams: Mapping[str, Mapping]
    more: Mapping
    options: Mapping
    findings: tuple[Finding, ...] = ()
    places: Mapping[str, np.ndarray] | None = None
