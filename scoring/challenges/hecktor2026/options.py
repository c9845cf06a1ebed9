"""The options that change a score, and their defaults."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from scoring.findings import Finding, error
from scoring.metrics.survival import MISSING_RISK

CHOICES = {
    "empty_masks": ("one", "zero", "skip"),
    "missing_risk": MISSING_RISK,
    "prognosis_direction": ("auto", "risk", "time"),
    "t0": ("count", "exclude"),
}
"""Values of each option, the default first."""
OF_COMPARISON = {"order": ("rank", "score"), "rank_ties": ("min", "average")}
"""The same for options of `compare` alone."""


@dataclass(frozen=True)
class Options:
    """How what the definition leaves open is read; values as in `CHOICES`. lesions: whether nodes are counted
    too."""

    empty_masks: str = "one"
    missing_risk: str = "non-concordant"
    prognosis_direction: str = "auto"
    t0: str = "count"
    lesions: bool = False

    def as_dict(self) -> dict:
        """Every option with its value, as provenance holds them."""
        return asdict(self)


def problems(values: Mapping[str, object], choices: Mapping[str, tuple] = CHOICES) -> list[Finding]:
    """`bad-option` for every value that is not among the choices."""
    return [
        error(
            "bad-option",
            "--" + name.replace("_", "-"),
            f"{values[name]!r} is not one of {', '.join(allowed)}.",
        )
        for name, allowed in choices.items()
        if values[name] not in allowed
    ]
