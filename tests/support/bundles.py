"""Bundles of a small board, whole or with one thing changed."""

import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scoring.boards.board import BoardSettings, create, opened
from scoring.boards.bundles import bundle
from scoring.boards.submissions import phases_and_limits
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.submissions.submitting import SubmissionRequest, submit
from scoring.store.database import open_store
from tests.support.boards import labels, predictions

MANIFEST = "manifest.json"


@cache
def members() -> Mapping[str, bytes]:
    """Return the members of a valid bundle: two teams, two phases, test set included."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        for setting in ("BENCHSIDE_DATABASE_URL", "BENCHSIDE_FILES"):
            patch.delenv(setting, raising=False)
        folder = Path(name)
        store = open_store(folder / "store")
        settings = BoardSettings(
            "B", statistics={"resamples": 20, "seed": 0, "group": None, "interval": "auto"}
        )
        create(store, "b", "melanoma", str(labels(folder / "labels.csv")), settings)
        phases_and_limits.define(
            store, "b", Phase("first", closes="2026-01-31T00:00:00.000000+00:00", per_day=2)
        )
        phases_and_limits.define(
            store, "b", Phase("second", opens="2026-01-31T00:00:00.000000+00:00", total=9)
        )
        for number, team in enumerate(("alpha", "beta")):
            data = predictions(folder / "p.csv", number, 1.0).read_bytes()
            submit(opened(store, "b"), SubmissionRequest(team, f"{team}.csv", data))
        data = bundle.export(opened(store, "b"), with_truth=True)
        store.engine.dispose()
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {member: packed.read(member) for member in packed.namelist()}


def manifest() -> dict[str, Any]:
    """Return a copy of its manifest."""
    value: dict[str, Any] = json.loads(members()[MANIFEST])
    return value


def packed(changed: Mapping[str, bytes | None], method: int = zipfile.ZIP_STORED) -> bytes:
    """Return the bundle with some members changed, added, or (None) left out."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as written:
        for name, data in {**members(), **changed}.items():
            if data is not None:
                written.writestr(name, data)
    return target.getvalue()


def with_manifest(value: Any) -> bytes:
    """Return the bundle with another manifest."""
    return packed({MANIFEST: json.dumps(value).encode()})


def with_value(path: str, value: Any) -> bytes:
    """Return the bundle with one value of its manifest changed. path: such as `submissions.0.sha256`."""
    return with_manifest(changed(manifest(), path, value))


def changed(tree: Any, path: str, value: Any) -> Any:
    """Return a tree of JSON with the value at a path changed."""
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    inner = tree
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return tree


def renamed(board_id: str) -> dict[str, Any]:
    """Return the manifest of the same board under another id, with submissions of other ids."""
    value = manifest()
    value["board"]["id"] = board_id
    for entry in (
        entry for name, rows in value.items() if name not in ("board", "format", "files") for entry in rows
    ):
        entry["board_id"] = board_id
    for key, name in (("id", "submissions"), ("submission_id", "scorings")):
        for entry in value[name]:
            entry[key] += board_id
    return value


def with_card(change: Callable[[dict[str, Any], dict[str, bytes]], object]) -> bytes:
    """Return the bundle with another scorecard for its first submission, and a row and a name that fit it.

    Args:
        change: Changes the card's document, and the bytes of its arrays by member.
    """
    value, known = manifest(), members()
    scoring = value["scorings"][0]
    with zipfile.ZipFile(io.BytesIO(known[f"files/{scoring['card']}"])) as card:
        arrays = {name: card.read(name) for name in card.namelist()}
    document = json.loads(arrays.pop("card.json"))
    change(document, arrays)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        for name, data in {"card.json": json.dumps(document).encode(), **arrays}.items():
            written.writestr(name, data)
    before, data = scoring["card"], target.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    low, high = document["intervals"].get("score") or (None, None)
    scoring |= {"card": digest, "score": document["score"], "low": low, "high": high}
    value["files"][digest] = len(data)
    del value["files"][before]
    return packed({f"files/{before}": None, f"files/{digest}": data, MANIFEST: json.dumps(value).encode()})
