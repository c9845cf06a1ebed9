"""Unpacking of a board bundle: zip, JSON and scorecards within bounds, confined where a server does it."""

import json
from collections.abc import Iterable
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.common.isolation import isolated
from scoring.core.file_contents import BOARD_MANIFEST
from scoring.inputs.sources import open_source, sha256
from scoring.services.boards import packing
from scoring.services.store.files import DIGEST

FILES = "files/"
MANIFEST_BYTES, MANIFEST_VALUES = 20_000_000, 1_000_000
CardFacts = tuple[str, float | None, Any]
"""Challenge, score and interval of a scorecard."""


@isolated
def unpack_bundle(
    data: bytes, name: str, most_bytes: int
) -> tuple[Any, dict[str, bytes], dict[str, CardFacts]]:
    """Return the manifest of a bundle, not checked; its files by SHA-256; and what their scorecards say.

    Args:
        data: The bundle.
        name: What messages call it.
        most_bytes: That it may unpack to, with its scorecards. More is refused before it is unpacked.

    Raises:
        InputRefused: `bad-bundle`, `bad-card`, or what a zip is refused for.
    """
    bundle = open_source(data, name)
    if BOARD_MANIFEST not in bundle.sizes:
        raise refused(name, ["it is no exported board: manifest.json is missing."])
    if bundle.sizes[BOARD_MANIFEST] > MANIFEST_BYTES:
        raise refused(name, [f"its manifest has more than {MANIFEST_BYTES / 1e6:.0f} MB."])
    total = sum(bundle.sizes.values())
    _require_at_most(most_bytes, total, name)
    manifest = _manifest(bundle.read(BOARD_MANIFEST), name)
    listed = _listed(manifest)
    if missing := [digest for digest in listed if FILES + digest not in bundle.sizes]:
        raise refused(name, [f"the file {digest[:12]} is missing: export again." for digest in missing])
    files = {digest: bundle.read(FILES + digest) for digest in listed}
    if changed := [digest for digest, content in files.items() if sha256(content) != digest]:
        raise refused(name, [f"the file {digest[:12]} was changed: export again." for digest in changed])
    cards = _cards(manifest) & files.keys()
    _require_at_most(most_bytes, total + sum(packing.unpacked_bytes(files[digest]) for digest in cards), name)
    return manifest, files, {digest: _facts(files[digest]) for digest in sorted(cards)}


def refused(name: str, messages: Iterable[str]) -> InputRefused:
    """Return the refusal of a bundle."""
    return InputRefused([error("bad-bundle", name, message) for message in messages])


def _require_at_most(most_bytes: int, size: int, name: str) -> None:
    if size > most_bytes:
        message = f"it unpacks to {size / 1e6:,.0f} MB; at most {most_bytes / 1e6:,.0f} MB are read."
        raise refused(name, [message])


def _manifest(text: bytes, name: str) -> Any:
    if sum(map(text.count, (b",", b"[", b"{"))) > MANIFEST_VALUES:
        raise refused(name, [f"its manifest has more than {MANIFEST_VALUES:,} values."])
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as problem:
        message = f"its manifest cannot be read ({type(problem).__name__}): export the board again."
        raise refused(name, [message]) from problem


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _listed(manifest: Any) -> list[str]:
    """Return the files that a manifest lists; the schema names what is none."""
    files = manifest.get("files") if isinstance(manifest, dict) else None
    return sorted(filter(DIGEST.fullmatch, files)) if isinstance(files, dict) else []


def _cards(manifest: Any) -> set[str]:
    scorings = manifest.get("scorings") if isinstance(manifest, dict) else None
    entries = (entry for entry in (scorings if isinstance(scorings, list) else ()) if isinstance(entry, dict))
    return {card for entry in entries if isinstance(card := entry.get("card"), str)}


def _facts(data: bytes) -> CardFacts:
    card = packing.card_from_bytes(data)
    return card.challenge, card.score, card.intervals.get("score")
