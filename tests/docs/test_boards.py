"""The commands about boards in README and docs/boards.md do what they say, one after the other."""

import re
import shlex

import pytest

from tests.support.boards import labels, predictions
from tests.support.command_line import ROOT, run


def commands(page: str) -> list[str]:
    """Return the commands about boards in the blocks of code of a page."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    return [
        line for line in lines if line.split("#")[0].split("=elsewhere ")[-1].startswith("benchside board ")
    ]


@pytest.mark.soak
@pytest.mark.parametrize(("page", "count"), [("README.md", 3), ("docs/boards.md", 12)])
def test_the_commands_of_a_page_run(page, count, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    labels(tmp_path / "labels.csv", wrong=(0, 3))
    predictions(tmp_path / "alpha.csv", 1, 1.0)
    predictions(tmp_path / "submissions" / "beta" / "2026-10-01.csv", 2, 1.0)
    labels(tmp_path / "corrected.csv")
    known = commands(page)
    assert len(known) >= count
    for command in known:
        words = shlex.split(command)
        action = words[words.index("board") + 1]
        monkeypatch.setenv(
            "BENCHSIDE_STORE", str(tmp_path / ("elsewhere" if action == "import" else "store"))
        )
        if "ID" in words:
            sent = run("board", "show", "lesions-2026", "--json", "-").json["teams"][0]["submission"]
            words[words.index("ID")] = sent
        done = run(*words[words.index("benchside") + 1 :])
        assert done.status == 0, f"{command}: {done.err}"
    assert (tmp_path / "lesions-2026.zip").exists() == (page == "docs/boards.md")
    assert (tmp_path / "board.html").exists()
