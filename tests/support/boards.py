"""A board of a few drawn cases, by the command line."""

import random
from pathlib import Path

from tests.support.command_line import Finished, run

CASES = [f"canary{i:02}" for i in range(60)]
TRUTH = [i % 3 == 0 for i in range(60)]


def labels(path: Path, wrong: tuple[int, ...] = ()) -> Path:
    """Write a truth; wrong: cases whose label is turned around."""
    rows = (f"{case},{ill != (i in wrong)}" for i, (case, ill) in enumerate(zip(CASES, TRUTH, strict=True)))
    path.write_text("filename,label\n" + "\n".join(rows) + "\n")
    return path


def predictions(path: Path, seed: int, noise: float, wrong: tuple[int, ...] = ()) -> Path:
    """Write a submission. noise: 0 is perfect; wrong: cases that it takes for the opposite."""
    drawn = random.Random(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    meant = (ill != (i in wrong) for i, ill in enumerate(TRUTH))
    values = (min(max(ill * 0.6 + 0.2 + noise * (drawn.random() - 0.5), 0), 1) for ill in meant)
    rows = (f"{case},{value:.4f}" for case, value in zip(CASES, values, strict=True))
    path.write_text("filename,score\n" + "\n".join(rows) + "\n")
    return path


def sizes(folder: Path) -> Path:
    """Open the board "size", whose score is an error without end; gives its truth, a perfect submission."""
    declared, table = folder / "size.toml", folder / "t.csv"
    declared.write_text(
        'id = "size"\ntitle = "Size"\nabout = "Size"\ntask = "regression"\n[truth]\ncase = "case"\n'
        'value = "mm"\n[predictions]\nvalue = "mm"\n[score]\nmetric = "mae"\n'
    )
    table.write_text("case,mm\n" + "".join(f"c{i},{i}\n" for i in range(20)))
    made = board("create", str(declared), "--id", "size", "--title", "Size", "--truth", table)
    assert made.status == 0, made.err
    return table


def board(*arguments: object) -> Finished:
    """Run `benchside board ...`."""
    return run("board", *arguments)


def filled(folder: Path) -> Path:
    """Open the board "b" with two teams of two weeks; gives the folder of their submissions. Two labels are
    wrong, which the team that is ahead predicts: with `labels` corrected the other one is."""
    truth = labels(folder / "labels.csv", wrong=(0, 3))
    made = board("create", "melanoma", "--id", "b", "--title", "B", "--truth", truth, "--resamples", 60)
    assert made.status == 0, made.err
    sent = folder / "sent"
    predictions(sent / "alpha" / "2026-10-01" / "p.csv", 1, 1.6)
    predictions(sent / "alpha" / "2026-10-08.csv", 2, 1.0, wrong=(0, 3))
    predictions(sent / "beta" / "2026-10-05" / "p.csv", 3, 0.85)
    done = board("submit", "b", sent)
    assert done.status == 0, done.err
    return sent
