"""Names of skin lesions by class, as tables of the field write them beside the codes (lesion_names.toml)."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

# Read on import: confined processes import modules, and then open no file.
_LESIONS: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def names_of(classes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the spellings of each class that are accepted, in the order of the classes."""
    return {name: tuple(_LESIONS.get(name, ())) for name in classes}
