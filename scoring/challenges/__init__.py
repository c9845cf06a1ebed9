"""Challenges: one package each; the registry lists them by id. `declared` makes challenges from TOML files,
without code.

* load a challenge by its id or file: `load_challenge`
* recognise to which challenge a dropped file belongs, and as which input: `recognition.recognise`
* each package: `formula` or `measures` computes the score, `card` makes the scorecard, `tables`, `truth` and
  `predictions` read files, `model` runs ONNX models, `views` returns headline, figures and tables
* shared by TRICORDER-3 and Melanoma: `safe_scan`; tables and figures of classes: `classification_views`
* warnings about doubtful results (few cases, constant output, copied truth, reversed scores):
  `doubtful_results`
* what the official program does with files and model: `preflight_views.verdict`; sample data: `samples`
* accepted names of skin lesions: `lesion_names.names_of`
"""

from importlib import import_module
from typing import Any, NamedTuple

from scoring.core.challenge import Challenge


class RegistryRow(NamedTuple):
    """A challenge in the registry.

    Attributes:
        name: Name of the challenge in lists.
        short_name: Name of the challenge in the navigation.
        package: Package that defines its `CHALLENGE`.
    """

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
    """Return the ids of all challenges, in the order in which lists show them."""
    return list(REGISTRY)


def is_known(challenge_id: object) -> bool:
    """Return whether a value is the id of a built-in challenge, or the full id of a known declared challenge,
    with the digest of its present version. File names do not count."""
    if not isinstance(challenge_id, str) or challenge_id in REGISTRY:
        return challenge_id in REGISTRY
    declared = _library().find(challenge_id)
    return declared is not None and declared.id == challenge_id


def is_named(name: str) -> bool:
    """Return whether a typed text is the id of a known challenge (with or without a digest), or ends in
    ".toml" like a challenge file."""
    return name in REGISTRY or name.endswith(".toml") or _library().find(name) is not None


def remember(declaration: object) -> str:
    """Make the declared challenge that a board, a bundle or the history stores known to `load_challenge`; do
    nothing for None. Return the first problem of the declaration, without a full stop; "" if it has none."""
    problem: str = _library().remember(declaration)
    return problem


def kept_declaration(challenge_id: str) -> dict[str, Any]:
    """Return the data that must be stored with a declared challenge, `{"declaration": ...}`; empty for a
    built-in one."""
    declared = None if challenge_id in REGISTRY else _library().declaration_of(challenge_id)
    return {} if declared is None else {"declaration": declared.tree}


def load_challenge(challenge_id: str) -> Challenge[Any, Any]:
    """Return a challenge by its id or its file.

    Args:
        challenge_id: Id of a built-in challenge, id of a challenge that you added, or path of a challenge
            file (`FILE.toml`).

    Raises:
        KeyError: If no challenge has this id.
        InputRefused: If the challenge file has problems; it lists all of them.
    """
    if challenge_id not in REGISTRY:
        challenge = _library().found(challenge_id)
    else:
        challenge = import_module(REGISTRY[challenge_id].package).CHALLENGE
    assert isinstance(challenge, Challenge), f"{challenge_id} has no CHALLENGE"
    return challenge


def _library() -> Any:
    return import_module("scoring.challenges.declared.library")
