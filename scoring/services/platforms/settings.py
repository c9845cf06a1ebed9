"""How a platform scores: one file, `benchside.json`, that goes into the platform's container or script."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.challenges import REGISTRY, load_challenge
from scoring.common.findings import Finding, InputRefused, error
from scoring.core.challenge import Challenge
from scoring.statistics.options import StatisticsOptions

FORMAT, FILE = "benchside-platform/1", "benchside.json"
DECIMALS = 3
"""Decimals of what is published of a hidden truth, if nothing else is chosen."""


@dataclass(frozen=True)
class PlatformSettings:
    """How a platform scores, and what it publishes.

    Attributes:
        challenge_id: Of the challenge.
        options: The challenge's options.
        statistics: `resamples`, `seed`, `group` and `interval`.
        is_public: Whether participants may know the truth. If not, messages say nothing that depends on it,
            and only the score, its interval and the metrics named here are published.
        decimals: To which numbers are rounded; None: not at all.
        metrics: Metrics that are published beside the score.
    """

    challenge_id: str
    options: Mapping[str, Any] = field(default_factory=dict)
    statistics: Mapping[str, Any] = field(default_factory=dict)
    is_public: bool = False
    decimals: int | None = DECIMALS
    metrics: tuple[str, ...] = ()

    @property
    def challenge(self) -> Challenge[Any, Any]:
        """Return the challenge that scores."""
        return load_challenge(self.challenge_id)

    def problems(self) -> list[Finding]:
        """Return `bad-option` for every value that is not allowed."""
        found = [
            *self.challenge.check_options(self.options),
            *StatisticsOptions(**self.statistics).problems(),
        ]
        if self.decimals is not None and not 0 <= self.decimals <= 15:
            found.append(error("bad-option", "--decimals", f"{self.decimals} is not within 0 and 15."))
        return found

    def to_json(self) -> str:
        """Return the file. The same settings give the same bytes."""
        value = {
            "format": FORMAT,
            "challenge": self.challenge_id,
            "options": dict(self.options),
            "statistics": dict(self.statistics),
            "truth": "public" if self.is_public else "hidden",
            "decimals": self.decimals,
            "metrics": list(self.metrics),
        }
        return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def read_settings(path: str | Path) -> PlatformSettings:
    """Read `benchside.json`.

    Raises:
        InputRefused: `bad-settings` where it is not there, or is not what `benchside platform bundle` wrote.
    """
    try:
        value = json.loads(Path(path).read_text(encoding="utf-8"))
        if value["format"] != FORMAT or value["challenge"] not in REGISTRY or value["truth"] not in TRUTHS:
            raise ValueError
        settings = PlatformSettings(
            value["challenge"],
            dict(value["options"]),
            dict(value["statistics"]),
            value["truth"] == "public",
            None if value["decimals"] is None else int(value["decimals"]),
            tuple(map(str, value["metrics"])),
        )
        problems = settings.problems()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as problem:
        words = "the settings cannot be read: write them again with `benchside platform bundle`."
        raise InputRefused([error("bad-settings", Path(path).name, words)]) from problem
    if problems:
        raise InputRefused(problems)
    return settings


TRUTHS = ("hidden", "public")
