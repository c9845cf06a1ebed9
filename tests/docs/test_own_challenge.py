"""docs/own-challenge.md: its commands run one after the other, and `init` writes the file that it shows."""

import random
import re
import shlex

from tests.support.command_line import ROOT, run

PAGE = (ROOT / "docs" / "own-challenge.md").read_text(encoding="utf-8")
DRAWN = random.Random(7)


def test_an_organizers_first_ten_minutes(tmp_path, monkeypatch):
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
    blocks = [text for kind, text in re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.M | re.S) if not kind]
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("benchside ")]
    assert len(commands) >= 11
    for command in commands:
        done = run(*shlex.split(command)[1:])
        assert done.status == 0, f"{command}: {done.err}"
        if "challenge init" in command:
            assert (tmp_path / "grades.toml").read_text() == re.search(r"```toml\n(.*?)```", PAGE, re.S)[1]
    for name in re.findall(r"(?:--html|--json) (\S+)", "\n".join(commands)):
        assert (tmp_path / name).stat().st_size > 1000
    assert list((tmp_path / "codabench").iterdir())
