"""The challenges by id. A challenge is one module here: its constants and functions are what `load_challenge`
gives."""

from importlib import import_module
from types import ModuleType

TITLES = {
    "tricorder3": "Safe-Scan TRICORDER-3",
    "melanoma": "Safe-Scan Melanoma",
    "isic": "ISIC lesion classification",
    "puma": "PUMA nuclei detection",
    "hecktor2026": "HECKTOR 2026",
}


def challenge_ids() -> list[str]:
    """The ids that `load_challenge` takes, in the order in which they are listed everywhere."""
    return list(TITLES)


def load_challenge(challenge_id: str) -> ModuleType:
    """The challenge of that id: `read_truth`, `read_predictions`, `read_images`, `inspect`, `predict`,
    `score` ...; docs/adding-a-challenge.md tells all.

    Raises KeyError for an unknown id.
    """
    if challenge_id not in TITLES:
        raise KeyError(challenge_id)
    return import_module(f"scoring.challenges.{challenge_id}")


def option_name(flag: str) -> str:
    """The keyword that a flag of the command line is in Python: --model-size-mib is model_size_mib."""
    return flag.removeprefix("--").replace("-", "_")
