"""The challenges by id, each loaded when it is first used."""

from importlib import import_module
from typing import Any, NamedTuple

from scoring.core.challenge import Challenge


class RegistryRow(NamedTuple):
    """A challenge in the registry: its name in lists, a short one for the navigation, and the package that
    makes its `CHALLENGE`."""

    name: str
    short_name: str
    package: str


REGISTRY = {
    "tricorder3": RegistryRow("Safe-Scan TRICORDER-3", "TRICORDER-3", "scoring.challenges.tricorder3"),
    "melanoma": RegistryRow("Safe-Scan Melanoma", "Melanoma", "scoring.challenges.melanoma"),
    "isic": RegistryRow("ISIC lesion classification", "ISIC", "scoring.challenges.isic"),
    "puma": RegistryRow("PUMA nuclei detection", "PUMA", "scoring.challenges.puma"),
    "hecktor2026": RegistryRow("HECKTOR 2026", "HECKTOR 2026", "scoring.challenges.hecktor2026"),
}


def challenge_ids() -> list[str]:
    """Return the ids that `load_challenge` takes, in the order in which they are listed everywhere."""
    return list(REGISTRY)


def is_known(challenge_id: str) -> bool:
    """Return whether `load_challenge` finds a challenge, built in or declared."""
    return challenge_id in REGISTRY or bool(_library().is_named(challenge_id))


def load_challenge(challenge_id: str) -> Challenge[Any, Any]:
    """Return the challenge of that id.

    Args:
        challenge_id: Of a built-in challenge; of a declared one that is known here; or its file, "FILE.toml".

    Raises:
        KeyError: For an unknown id.
        InputRefused: With every problem of a file.
    """
    if challenge_id not in REGISTRY:
        challenge = _library().found(challenge_id)
    else:
        challenge = import_module(REGISTRY[challenge_id].package).CHALLENGE
    assert isinstance(challenge, Challenge), f"{challenge_id} has no CHALLENGE"
    return challenge


def _library() -> Any:
    return import_module("scoring.challenges.declared.library")
