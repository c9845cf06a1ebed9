"""Bundles of boards that are valid but for a fault in the manifest, in a scorecard, or in a byte. What is not
refused has to be ranked, drawn and listed."""

import io
import json
import tempfile
import zipfile
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

from scoring.boards import serialization
from scoring.boards.board import listed, opened
from scoring.boards.bundles import bundle
from scoring.boards.bundles.unpacking import FILES
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.inputs.sources import sha256
from scoring.store.database import open_store
from tests.hostile.inputs import Came, attempt
from tests.support import bundles

VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 2, 10**10, 10**400, 0.5, -0.5, 1e308, float("inf"), float("nan"), [], {}, [[]], ""),
    *(
        "last",
        "melanoma",
        "zzz",
        "\u202e",
        "x" * 300,
        "/dev/zero",
        "../../x",
        "0" * 64,
        "G" * 64,
        {"imported": "x"},
    ),
    *("9999-12-31T23:59:59.999999+00:00", "2026-01-01T00:00:00.000000+00:00", "2026-01-01", {"a": {"b": []}}),
)


def faulty(random: Random) -> bytes:
    """Return a bundle with one to three faults."""
    manifest, members = bundles.manifest(), dict[str, bytes]()
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        if random.random() < 0.3:
            _spoil_card(random, manifest, members)
        else:
            spoil(random, manifest)
    members[bundles.MANIFEST] = json.dumps(manifest).encode()
    data = bundles.packed(members, random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    if random.random() < 0.1:
        at = random.randrange(len(data))
        data = data[:at] + random.randbytes(random.randrange(4)) + data[at + random.randrange(4) :]
    return data


def spoil(random: Random, tree: Any) -> None:
    """Change, remove, add or repeat one value somewhere in a tree of JSON."""
    inner = tree
    while True:
        keys = [*inner] if isinstance(inner, dict) else [*range(len(inner))]
        if not keys:
            return
        key = random.choice(keys)
        if not isinstance(inner[key], dict | list) or not inner[key] or random.random() < 0.15:
            break
        inner = inner[key]
    fault = random.randrange(5)
    if fault == 0:
        del inner[key]
    elif fault == 1 and isinstance(inner, list):
        inner.append(deepcopy(inner[key]))
    elif fault == 2 and isinstance(inner, dict):
        inner[random.choice(("x", "imported", "score", "number"))] = deepcopy(random.choice(VALUES))
    elif fault == 3 and isinstance(inner[key], int | float):
        with suppress(OverflowError):  # some whole numbers are beyond floats
            inner[key] += random.choice((-1, 1, 0.01))
    else:
        inner[key] = deepcopy(random.choice(VALUES))


def _spoil_card(random: Random, manifest: Any, members: dict[str, bytes]) -> None:
    """Change something in a scorecard, under a name that is right again."""
    scorings = manifest.get("scorings")
    scored = [
        entry
        for entry in (scorings if isinstance(scorings, list) else ())
        if isinstance(entry, dict) and entry.get("card")
    ]
    known = {name: data for name, data in bundles.members().items() if name.startswith(FILES)}
    entry = random.choice(scored) if scored else {}
    data = known.get(f"{FILES}{entry.get('card')}")
    if data is None:
        return
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as whole, zipfile.ZipFile(target, "w") as written:
        spoilt = random.choice((serialization.DOCUMENT, serialization.DOCUMENT, *whole.namelist()))
        for name in whole.namelist():
            part = whole.read(name)
            if name == spoilt == serialization.DOCUMENT:
                document = json.loads(part)
                spoil(random, document)
                part = json.dumps(document).encode()
            elif name == spoilt:
                at = random.randrange(len(part))
                part = part[:at] + random.randbytes(random.randrange(9)) + part[at + random.randrange(9) :]
            written.writestr(name, part)
    entry["card"] = sha256(target.getvalue())
    members[f"{FILES}{entry['card']}"] = target.getvalue()
    if isinstance(manifest.get("files"), dict):
        manifest["files"][entry["card"]] = len(target.getvalue())


def read(data: bytes) -> Came:
    """Import a bundle, and draw and list its board."""

    def work() -> None:
        bundle.counted(data)
        with tempfile.TemporaryDirectory() as folder:
            store = open_store(folder)
            try:
                board = opened(store, bundle.import_board(store, data))
                public_report.html(board_ranking(board))
                assert [entry for entry in listed(store) if "broken" in entry] == []
            finally:
                store.engine.dispose()

    return attempt(work)
