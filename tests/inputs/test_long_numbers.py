"""Numbers of more digits than Python converts (4,300): each parser refuses them in words of its own."""

import io

import numpy as np
import pytest

from scoring.common.strict_json import StrictJsonError, strict_loads
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.nifti_and_metaimage import open_volume
from tests.support import category_tables, volumes
from tests.support.command_line import run

LONG = "9" * 5000
LABELS = np.zeros((3, 4, 5), np.uint8)
CHALLENGE = f"""id = "grades"
title = "Grades"
task = "ordinal"
about = {LONG}
"""
TABLES = {
    "a class": "image,label\n" + "".join(f"{case},{LONG}\n" for case in category_tables.IDS),
    "a class of Weka": "inst#,actual,predicted,error,prediction,image\n"
    + "".join(f"{i},1:?,{LONG}:MEL,,0.5,{case}\n" for i, case in enumerate(category_tables.IDS)),
}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            volumes.nrrd(LABELS, lines={"sizes": f"{LONG} 1 1"}),
            "a value in its header is not a valid number",
        ),
        (volumes.metaimage(LABELS, DimSize=f"{LONG} 1 1"), "its header has a line of 4,096 bytes or more"),
        (volumes.metaimage(LABELS, NDims="9" * 4000), "its header announces 9999"),
    ],
)
def test_headers_of_masks(data, words):
    with pytest.raises(MaskError) as refused:
        open_volume(io.BytesIO(data))
    assert words in refused.value.words
    assert "integer string conversion" not in refused.value.words


def test_json():
    with pytest.raises(StrictJsonError, match="a number in it has more than 4,300 digits"):
        strict_loads(f'{{"a": {LONG}}}')


def test_a_challenge_file(tmp_path):
    (tmp_path / "c.toml").write_text(CHALLENGE)
    done = run("challenge", "check", tmp_path / "c.toml")
    assert done.err == ("error bad-toml c.toml:4: a number has more than 4,300 digits: shorten it.\n")


@pytest.mark.parametrize("kind", TABLES)
def test_tables(kind, tmp_path):
    (tmp_path / "t.csv").write_bytes(category_tables.truth())
    (tmp_path / "p.csv").write_text(TABLES[kind])
    done = run("check", "isic", "--truth", tmp_path / "t.csv", "--predictions", tmp_path / "p.csv")
    assert done.status == 2, done.err
    assert "internal error" not in done.err


def test_options(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    (tmp_path / "t.csv").write_bytes(category_tables.truth())
    truth = ("--truth", tmp_path / "t.csv")
    run("board", "create", "isic", "--id", "b", "--title", "B", *truth)
    phase = run("board", "phase", "b", "--name", "first", "--per-day", LONG)
    assert phase.err.startswith("error bad-option --per-day: '9999")
    table = ("--predictions", tmp_path / "t.csv", "--edit-table", f"leave_out={LONG}")
    assert run("check", "isic", *truth, *table).status in (0, 2)
