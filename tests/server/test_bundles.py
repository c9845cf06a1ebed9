"""Hostile bundles of boards, dropped on the overview of a real server: one sentence each, and no memory."""

import io
import json
import zipfile

import pytest

from scoring.inputs.sources import sha256
from tests.browser import driver
from tests.server.test_reading import peak
from tests.support import bundles
from tests.support.visitor import Visitor


def of_many_numbers() -> bytes:
    """300 bytes that took 5 GB: a set of as many numbers as its version says was made."""
    value = bundles.manifest()
    lists = {name: [] for name in ("test_sets", "teams", "submissions", "scorings")} | {"files": {}}
    value = {"format": value["format"], "board": value["board"] | {"version": 10**10}} | lists
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(bundles.MANIFEST, json.dumps(value))
    return target.getvalue()


def of_large_cards() -> bytes:
    """Half a megabyte with ten scorecards of 45 MB each."""
    value, cards = bundles.manifest(), dict[str, bytes]()
    for number in range(10):
        card = io.BytesIO()
        with zipfile.ZipFile(card, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            packed.writestr(f"arrays/{number}", bytes(45_000_000))
        digest = sha256(card.getvalue())
        cards[f"files/{digest}"] = card.getvalue()
        value["files"][digest] = len(card.getvalue())
        value["scorings"].append(value["scorings"][0] | {"card": digest, "number": number + 2})
    return bundles.packed(cards | {bundles.MANIFEST: json.dumps(value).encode()}, zipfile.ZIP_DEFLATED)


@pytest.mark.slow
def test_a_hostile_bundle_is_one_sentence_and_the_server_stays_small():
    with driver.served() as server, Visitor(server.address) as visitor:
        visitor.run()
        visitor.upload("warm.zip", bundles.packed({}))  # the page that reads boards, and its modules
        assert any("alpha" in text for text in visitor.texts), visitor.texts
        for make, words in (
            (of_many_numbers, "is not a number from 1 to"),
            (of_large_cards, "it unpacks to 45"),
        ):
            data, before = make(), peak(server)
            visitor.run("")
            visitor.upload("board.zip", data)
            assert len([text for text in visitor.texts if words in text]) == 1, visitor.texts
            assert peak(server) - before < 50
