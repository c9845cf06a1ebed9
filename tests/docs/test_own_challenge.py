"""docs/own-challenge.md: its commands run one after the other on the files that it shows."""

import random
import re
import shlex

import numpy as np
import pytest

from tests.support.command_line import ROOT, run
from tests.support.volumes import nifti

PAGE = (ROOT / "docs" / "own-challenge.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.M | re.S)
COMMANDS = [
    line for kind, text in BLOCKS if not kind for line in text.splitlines() if line[:10] == "benchside "
]
INLINE = re.findall(r"`(benchside [a-z][^`]*)`", PAGE)
FILES = {match[1]: text for kind, text in BLOCKS if kind and (match := re.match(r'id = "(\w+)"', text))}
DRAWN = random.Random(7)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("BENCHSIDE_CHALLENGES", str(tmp_path / "challenges"))
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    grades = [DRAWN.choice("0123") for _ in range(60)]
    rows = [f"p{i:03},{grade},{DRAWN.choice(['Graz', 'Umea'])}" for i, grade in enumerate(grades)]
    (tmp_path / "truth.csv").write_text("patient,grade,center\n" + "\n".join(rows))
    for team, skill in {"alpha": 0.9, "beta": 0.6, "gamma": 0.3}.items():
        called = [grade if DRAWN.random() < skill else DRAWN.choice("0123") for grade in grades]
        text = "\n".join(f"p{i:03},{grade}" for i, grade in enumerate(called))
        (tmp_path / f"{team}.csv").write_text(f"patient,grade\n{text}\n")
    for name, wider in {"masks": 0, "masks-alpha": 1, "masks-beta": 3}.items():
        (tmp_path / name).mkdir()
        for case in range(4):
            mask = np.zeros((16, 12, 6), np.uint8)
            mask[3 : 10 + wider, 3:9, 1:5] = 1
            mask[5:7, 5:7, 2:4] = 2
            (tmp_path / name / f"case_{case}.nii").write_bytes(nifti(mask, np.diag([0.8, 0.8, 3, 1])))
    ages = [DRAWN.randint(20, 90) for _ in range(20)]
    for name, wrong in {"ages": 0, "ages-alpha": 3}.items():
        rows = [f"p{i:03},{age + wrong * (-1) ** i}" for i, age in enumerate(ages)]
        (tmp_path / f"{name}.csv").write_text("patient,age\n" + "\n".join(rows))
    for name in ("spleen", "ages"):
        (tmp_path / f"{name}.toml").write_text(FILES[name])
    return tmp_path


def done(command: str) -> str:
    made = run(*shlex.split(command)[1:])
    assert made.status == 0, f"{command}: {made.err}"
    return made.out


def test_an_organizers_first_ten_minutes(folder):
    assert len(COMMANDS) >= 14
    told = {}
    for command in COMMANDS:
        told[command] = done(command)
        if "challenge init" in command:
            assert (folder / "grades.toml").read_text() == FILES["grades"]
    for name in re.findall(r"(?:--html|--json) (\S+)", "\n".join(COMMANDS)):
        assert (folder / name).stat().st_size > 1000
    assert list((folder / "codabench").iterdir())
    assert (
        ": score 3.0, n = 20"
        in told["benchside score ages.toml --truth ages.csv --predictions ages-alpha.csv"]
    )
    # The names of the values that [ranking] takes are those that `show` lists.
    listed = told["benchside challenge show spleen.toml"]
    assert all(f"  {name} " in listed for name in ("dice", "hd95_spleen", "nsd_2_spleen"))
    compared = next(text for command, text in told.items() if "compare spleen.toml" in command)
    assert "alpha is ranked first by mean rank" in compared


def test_the_commands_within_the_text_run_too(folder):
    assert len(INLINE) >= 4
    done(next(command for command in COMMANDS if "challenge init" in command))
    done(
        next(command for command in COMMANDS if "board create" in command).replace(
            "create grades", "create grades.toml"
        )
    )
    for command in INLINE:
        assert done(command)
