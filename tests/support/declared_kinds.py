"""Declared challenges of every kind, each with a truth, a correction of it and three teams of which `better`
is better than `good` and `good` than `bad`."""

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring.challenges.declared import library
from scoring.common.file_opening import zipped
from scoring.core.challenge import Challenge
from tests.support.volumes import nifti

N, N_MASKS = 40, 24
SHARES = {"better": 0.05, "good": 0.25, "bad": 0.6}
"""How wrong each team is."""
ORDER = tuple(SHARES)
HEAD = 'id = "{}"\ntitle = "Kind {}"\nabout = "Made for a test"\n'
SAME = '[truth]\ncase = "id"\n{}\n[predictions]\n{}\n[score]\n{}\n'


def _classes(random, share: float) -> str:
    truth = np.arange(N) % 3
    wrong = random.random(N) < share
    return "id,y\n" + "".join(f"i{k},{'abc'[(truth[k] + wrong[k]) % 3]}\n" for k in range(N))


def _scores(random, share: float) -> str:
    truth = np.arange(N) % 2
    p = np.clip(0.5 + 0.4 * (truth - 0.5) + share * random.normal(size=N), 0.01, 0.99)
    return "id,y,p\n" + "".join(f"i{k},{'ny'[truth[k]]},{p[k]:.4f}\n" for k in range(N))


def _labels(random, share: float) -> str:
    truth = np.array([[k % 2, k % 3 == 0] for k in range(N)], float)
    p = np.clip(0.5 + 0.4 * (truth - 0.5) + share * random.normal(size=(N, 2)), 0.01, 0.99)
    p = p if share else np.round(p)
    return "id,a,b\n" + "".join(f"i{k},{p[k][0]:.4g},{p[k][1]:.4g}\n" for k in range(N))


def _numbers(random, share: float) -> str:
    off = 10 * share * random.normal(size=N)
    return "id,y\n" + "".join(f"i{k},{20 + k + off[k]:.3f}\n" for k in range(N))


def _risks(random, share: float) -> str:
    time = 10.0 + np.arange(N)
    risk = -time + 40 * share * random.normal(size=N)
    return "id,t,e,risk\n" + "".join(f"i{k},{time[k]},{int(k % 4 > 0)},{risk[k]:.3f}\n" for k in range(N))


def _points(random, share: float) -> str:
    rows = ["id,x,y,score"]
    for k in range(N):
        for x, y in ((10 + k, 20), (60, 50 + k)):
            far = 40 * (random.random() < share)
            rows.append(f"i{k},{x + far},{y + random.normal():.2f},{random.random():.3f}")
    return "\n".join(rows) + "\n"


def _boxes(random, share: float) -> str:
    rows = ["id,x0,y0,x1,y1,kind,score"]
    for k in range(N):
        for x, name in ((10 + k, "a"), (70, "b")):
            far = 40 * (random.random() < share)
            rows.append(f"i{k},{x + far},5,{x + far + 20},30,{name},{random.random():.3f}")
    return "\n".join(rows) + "\n"


def _masks(random, share: float) -> bytes:
    files = []
    for k in range(N_MASKS):
        mask = np.zeros((14, 12, 6), np.uint8)
        away = round(6 * share * random.random())
        mask[2 + away : 7 + away, 3 : 8 + k % 2, 1:4] = 1
        mask[3 + away : 5 + away, 4:6, 2:4] = 2
        files.append((f"case_{k:02}.nii", nifti(mask, np.diag([0.5, 0.8, 3.0, 1.0]))))
    return zipped(iter(files))


@dataclass(frozen=True)
class Kind:
    """A kind of declared challenge.

    Attributes:
        text: The file.
        made: (generator, how wrong it is) -> a table with the columns of truth and submission, or a zip of
            masks.
    """

    text: str
    made: Callable[..., str | bytes]

    @property
    def challenge(self) -> Challenge:
        """The challenge that the file declares."""
        return library.of_text(self.text, "kind.toml")

    def corrected(self, truth: str | bytes) -> str | bytes:
        """Return a truth in which the first two cases have changed places."""
        if isinstance(truth, str):
            return truth.replace("i0,", "first,").replace("i1,", "i0,").replace("first,", "i1,")
        archive = zipfile.ZipFile(io.BytesIO(truth))
        first, second, *others = archive.namelist()
        names = zip((second, first, *others), archive.namelist(), strict=True)
        return zipped((name, archive.read(of)) for name, of in names)

    def write(self, folder: Path, name: str) -> None:
        """Write file, truth, its correction, and the teams."""
        (folder / f"{name}.toml").write_text(self.text)
        ending = "zip" if self.made is _masks else "csv"
        shares = {"truth": 0.0, **SHARES}.items()
        files = {part: self.made(np.random.default_rng(k), share) for k, (part, share) in enumerate(shares)}
        for part, data in (files | {"corrected": self.corrected(files["truth"])}).items():
            path = folder / f"{part}.{ending}"
            path.write_bytes(data if isinstance(data, bytes) else data.encode())


def _kind(name: str, made: Callable[..., str | bytes], task: str, *parts: str, more: str = "") -> Kind:
    return Kind(HEAD.format(name, name) + f'task = "{task}"\n{more}' + SAME.format(*parts), made)


MASKS = "[regions]\nwhole = [1, 2]\ncore = [2]\n"
KINDS = {
    "classes": _kind(
        "classes",
        _classes,
        "classification",
        'label = "y"',
        'label = "y"',
        'metric = "balanced_accuracy"',
        more='classes = ["a", "b", "c"]\n',
    ),
    "sum": _kind(
        "sum",
        _scores,
        "classification",
        'label = "y"',
        'score = "p"',
        'parts = [{metric = "auc", weight = 60}, {metric = "f1", weight = 40}]',
        more='classes = ["n", "y"]\npositive = "y"\n',
    ),
    "loss": _kind(
        "loss",
        _scores,
        "classification",
        'label = "y"',
        'score = "p"',
        'metric = "log_loss"',
        more='classes = ["n", "y"]\npositive = "y"\n',
    ),
    "grades": _kind(
        "grades",
        _classes,
        "ordinal",
        'label = "y"',
        'label = "y"',
        'metric = "quadratic_kappa"',
        more='classes = ["a", "b", "c"]\n',
    ),
    "labels": _kind("labels", _labels, "multilabel", "", "", 'metric = "auc"', more='classes = ["a", "b"]\n'),
    "error": _kind(
        "error",
        _numbers,
        "regression",
        'value = "y"',
        'value = "y"',
        'metric = "mae"\n[[report]]\nmetric = "pearson"\n[ranking]\nby = "mean_rank"',
    ),
    "survival": _kind(
        "survival", _risks, "survival", 'time = "t"\nevent = "e"', 'risk = "risk"', 'metric = "c_index"'
    ),
    "points": _kind(
        "points", _points, "points", 'places = ["x", "y"]', 'score = "score"', 'metric = "f1"\nradius = 5'
    ),
    "boxes": _kind(
        "boxes",
        _boxes,
        "boxes",
        'label = "kind"\nplaces = ["x0", "y0", "x1", "y1"]',
        'score = "score"',
        'metric = "ap"\niou = 0.5',
        more='classes = ["a", "b"]\n',
    ),
    "masks": Kind(
        HEAD.format("masks", "masks") + f'task = "segmentation"\n{MASKS}[score]\nmetric = "dice"\n'
        '[[report]]\nmetric = "hd95"\nworst_mm = 100\n[ranking]\nby = "case_rank"\n',
        _masks,
    ),
    "distance": Kind(
        HEAD.format("distance", "distance")
        + f'task = "segmentation"\n{MASKS}[score]\nmetric = "hd95"\nworst_mm = 100\n',
        _masks,
    ),
}
