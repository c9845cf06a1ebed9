"""Unpacking of a board bundle: read, check and rehearse the bundle within limits of size. Servers do this in
a confined process."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from scoring.boards import serialization
from scoring.boards.bundles import rehearsal
from scoring.boards.bundles.manifest import PROBLEMS, check_manifest
from scoring.boards.bundles.scorecard_checks import ScoredRow, cases_digest, contradictions
from scoring.challenges import load_challenge
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.strict_json import StrictJsonError, strict_loads
from scoring.common.transport import isolated
from scoring.core.file_contents import BOARD_MANIFEST
from scoring.inputs.sources import open_source, sha256
from scoring.store.kept_files import DIGEST

FILES = "files/"
OF_RESULTS = ("scorings", "shown")
"""Lists of a manifest that contain results."""
MANIFEST_BYTES, MANIFEST_VALUES = 20_000_000, 1_000_000
LONGEST_TEXT = 20_000
"""Maximum characters of a text in a manifest or scorecard."""


@isolated
def unpack_bundle(data: bytes, name: str, most_bytes: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Unpack a bundle, check it, and return the manifest and the files by SHA-256.

    Args:
        most_bytes: Maximum unpacked bytes, including scorecards. A larger bundle is refused before unpacking.

    Raises:
        InputRefused: With `bad-bundle`, `bad-card`, or the code of a refused zip.
    """
    bundle = open_source(data, name)
    if BOARD_MANIFEST not in bundle.sizes:
        raise refused(name, ["it is not an exported board: manifest.json is missing."])
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
    _require_at_most(
        most_bytes, total + sum(serialization.unpacked_bytes(files[digest]) for digest in cards), name
    )
    _require_none(check_manifest(manifest), name)
    _require_none(islice(_of_files(manifest, files, bundle.sizes), PROBLEMS), name)
    _require_none(islice(_of_cards(manifest, files), PROBLEMS), name)
    with rehearsal.rehearsed(manifest, files) as store:
        again = rehearsal.scored_otherwise(store, manifest, rehearsal.SHARE * most_bytes)
        _require_none((_export_again("scorings", text) for text in islice(again, PROBLEMS)), name)
        _require_none([_export_again("scorings", t) for t in rehearsal.unrankable(store, manifest)], name)
    return manifest, files


def refused(name: str, messages: Iterable[str]) -> InputRefused:
    """Return the exception that refuses a bundle, with one finding per message."""
    return InputRefused([error("bad-bundle", name, message) for message in messages])


def _require_none(problems: Iterable[Finding], name: str) -> None:
    """Raise InputRefused if a bundle has problems."""
    if listed := [replace(problem, where=f"{name} › {problem.where}") for problem in problems]:
        raise InputRefused(listed)


def _export_again(place: str, problem: str) -> Finding:
    return error("bad-bundle", f"{BOARD_MANIFEST} › {place}", f"{problem}: export the board again.")


def _require_at_most(most_bytes: int, size: int, name: str) -> None:
    if size > most_bytes:
        message = f"it unpacks to {size / 1e6:,.0f} MB; at most {most_bytes / 1e6:,.0f} MB are read."
        raise refused(name, [message])


def _manifest(text: bytes, name: str) -> Any:
    if sum(map(text.count, (b",", b"[", b"{"))) > MANIFEST_VALUES:
        raise refused(name, [f"its manifest has more than {MANIFEST_VALUES:,} values."])
    try:
        return strict_loads(text, LONGEST_TEXT)
    except StrictJsonError as problem:
        message = f"its manifest cannot be read ({problem}): export the board again."
        raise refused(name, [message]) from problem


def _listed(manifest: Any) -> list[str]:
    """Return the files that a manifest lists. Entries that are no SHA-256 are left out;
    `check_manifest` reports them."""
    files = manifest.get("files") if isinstance(manifest, dict) else None
    return sorted(filter(DIGEST.fullmatch, files)) if isinstance(files, dict) else []


def _cards(manifest: Any) -> set[str]:
    lists = [manifest.get(name) for name in OF_RESULTS] if isinstance(manifest, dict) else []
    entries = (entry for rows in lists if isinstance(rows, list) for entry in rows if isinstance(entry, dict))
    return {card for entry in entries if isinstance(card := entry.get("card"), str)}


def _results(manifest: Mapping[str, Any]) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Yield each result of a manifest, with its list and its position in the list."""
    for name in OF_RESULTS:
        yield from ((name, number, row) for number, row in enumerate(manifest.get(name, ())))


def _of_files(
    manifest: Mapping[str, Any], files: Mapping[str, bytes], sizes: Mapping[str, int]
) -> Iterator[Finding]:
    """Yield files that are missing in the bundle, files that no row needs, and files of a wrong size."""
    needed = {row["sha256"] for name in ("submissions", "refused") for row in manifest.get(name, ())}
    needed |= {row["card"] for _, _, row in _results(manifest)} - {None}
    may = {row.get(key) for row in manifest["test_sets"] for key in ("sha256", "metadata_sha256")}
    for digest in sorted(needed - files.keys()):
        yield _export_again("files", f"the file {digest[:12]} is missing")
    for digest in sorted(files.keys() - needed - may):
        yield _export_again("files", f"nothing refers to the file {digest[:12]}")
    for digest in sorted(files):
        if manifest["files"][digest] != len(files[digest]):
            yield _export_again("files", f"the file {digest[:12]} is not as large as stated")
    for member in sorted(sizes.keys() - {FILES + digest for digest in files} - {BOARD_MANIFEST}):
        yield _export_again("files", f"{member[:80]!a} is not listed")


def _of_cards(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> Iterator[Finding]:
    """Yield contradictions within each scorecard, and between scorecards of the same version of the test
    set."""
    challenge = load_challenge(manifest["board"]["challenge"])
    test_sets = {row["number"]: row for row in manifest["test_sets"]}
    submissions = {row["id"]: row for row in manifest["submissions"]}
    cases: dict[tuple[str, int], str] = {}
    for name, number, scoring in _results(manifest):
        if scoring["card"] is None:
            continue
        place = f"{name}[{number}].card"
        card = serialization.card_from_bytes(files[scoring["card"]], LONGEST_TEXT)
        row = ScoredRow(
            scoring, manifest["board"], test_sets[scoring["number"]], submissions[scoring["submission_id"]]
        )
        problems = list(contradictions(card, row, challenge))
        yield from (_export_again(place, problem) for problem in dict.fromkeys(problems))
        if (
            not problems
            and cases.setdefault((name, scoring["number"]), digest := cases_digest(card)) != digest
        ):
            yield _export_again(place, "a scorecard has other cases than another one of the same test set")
