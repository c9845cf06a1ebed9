"""A copy of the project in which docs/adding-a-challenge.md was carried out."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.command_line import ROOT

PAGE = (ROOT / "docs" / "adding-a-challenge.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", PAGE, re.DOTALL))
(ROW,) = re.findall(r"```python row\n(.*?)```", PAGE, re.DOTALL)
REGISTRY = "scoring/challenges/__init__.py"
CLASSES = ("eosinophil", "lymphocyte", "monocyte", "neutrophil")
TRUTH = [(f"s{i:02}", CLASSES[i * i % 7 % 4]) for i in range(40)]
TEAMS = {
    "alpha": [(case, "lymphocyte" if name == "monocyte" else name) for case, name in TRUTH],
    "beta": [(case, "neutrophil" if i % 5 == 0 else name) for i, (case, name) in enumerate(TRUTH)],
}
"""What the sample teams call each case."""


def csv(rows: list[tuple[str, str]]) -> str:
    """Return a table of cases and classes."""
    return "case,class\n" + "".join(f"{case},{name}\n" for case, name in rows)


def macro_f1(rows: list[tuple[str, str]]) -> float:
    """Return the tutorial's score, restated in plain loops."""
    scores = []
    for name in CLASSES:
        pairs = [(true == name, called == name) for (_, true), (_, called) in zip(TRUTH, rows, strict=True)]
        hits = sum(a and b for a, b in pairs)
        called, members = sum(b for _, b in pairs), sum(a for a, _ in pairs)
        scores.append(2 * hits / (called + members) if called + members else 0.0)
    return sum(scores) / len(scores)


def copied(copy: Path) -> Path:
    """Copy the project as far as it runs; tests, documents and samples are links."""
    for folder in ("scoring", "pages", ".streamlit"):
        shutil.copytree(ROOT / folder, copy / folder)  # with what was compiled: it takes seconds
    (copy / "sample_data").mkdir()
    for path in (ROOT / "sample_data").iterdir():
        (copy / "sample_data" / path.name).symlink_to(path)
    for path in ROOT.iterdir():
        if not (copy / path.name).exists() and not path.name.startswith(".git"):
            (copy / path.name).symlink_to(path)
    return copy


def added(copy: Path, challenge_id: str = "smears", edits: dict[str, str] | None = None) -> None:
    """Carry the tutorial out.

    Args:
        copy: The copy of the project.
        challenge_id: What the challenge is called in place of "smears".
        edits: What takes the place of a part of the tutorial's files, by that part.
    """

    def own(text: str) -> str:
        for old, new in (edits or {}).items():
            text = text.replace(old, new)
        return text.replace("smears", challenge_id).replace("Smears", challenge_id.title())

    every = "".join(FILES.values())
    assert all(old in every for old in edits or {}), "an edit that changes nothing"
    for name, text in FILES.items():
        path = copy / own(name)
        assert not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(own(text), encoding="utf-8")
    registry = (copy / REGISTRY).read_text(encoding="utf-8")
    start = re.search(r"^REGISTRY = \{\n", registry, re.MULTILINE)
    assert start is not None
    place = registry.index("\n}\n", start.end()) + 1
    row = ROW.replace("Blood smears", f"Blood {challenge_id}").replace(
        '"Smears"', f'"{challenge_id.title()}"'
    )
    (copy / REGISTRY).write_text(registry[:place] + own(row) + registry[place:], encoding="utf-8")
    sample = copy / "sample_data" / challenge_id
    (sample / "teams").mkdir()
    (sample / "labels.csv").write_text(csv(TRUTH))
    for team, rows in TEAMS.items():
        (sample / "teams" / f"{team}.csv").write_text(csv(rows))


def python(project: Path, *arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, which has to end with a status."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == status, (done.stdout + done.stderr)[-3000:]
    return done
