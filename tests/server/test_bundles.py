"""A hostile bundle of a board, dropped on the overview of a real server: one sentence, and no memory."""

import io
import json
import zipfile

import psutil
import pytest

from tests.browser import driver
from tests.support import bundles
from tests.support.visitor import Visitor


@pytest.mark.slow
def test_a_small_bundle_with_a_large_number_takes_no_memory_of_the_server():
    """300 bytes took 5 GB: a set of as many numbers as its version says was made."""
    value = bundles.manifest()
    lists = {name: [] for name in ("test_sets", "teams", "submissions", "scorings")} | {"files": {}}
    value = {"format": value["format"], "board": value["board"] | {"version": 10**10}} | lists
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(bundles.MANIFEST, json.dumps(value))
    with driver.served() as server, Visitor(server.address) as visitor:
        visitor.run()
        visitor.upload("warm.zip", bundles.packed({}))  # the page that reads boards, and its modules
        process = psutil.Process(server.pid)
        before = process.memory_info().rss
        visitor.run("")
        visitor.upload("board.zip", target.getvalue())
        said = [text for text in visitor.texts if "is not a number from 1 to" in text]
        assert len(said) == 1, visitor.texts
        assert process.memory_info().rss - before < 50_000_000
