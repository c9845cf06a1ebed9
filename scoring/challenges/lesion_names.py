"""Names of skin lesions of each class that tables in the field use in place of the codes
(lesion_names.toml)."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

# Read on import: confined processes import modules, and then open no file.
_LESIONS: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def names_of(classes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return class -> accepted spellings, in the order of the classes."""
    return {name: tuple(_LESIONS.get(name, ())) for name in classes}
