"""The sample data that comes with the project: generated test sets, teams of different skill, small trained
models."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scoring.challenges import load_challenge

FOLDER = Path(__file__).parents[1] / "sample_data"
SETS = {
    "tricorder3": {"sample": ("tricorder3", "Sample: 220 drawn lesions, 11 classes")},
    "melanoma": {"sample": ("melanoma", "Sample: 150 drawn lesions, 45 melanomas")},
    "isic": {
        "isic2019": ("isic2019", "Sample as of 2019: 306 drawn images, 8 diagnoses and none of them"),
        "isic2018": ("isic2018", "Sample as of 2018: 250 drawn images, 7 diagnoses"),
    },
    "puma": {"sample": ("puma", "Sample: 8 drawn tiles, 10 classes of nuclei")},
    "hecktor2026": {"sample": ("hecktor2026", "Sample: 48 drawn patients, 4 with CT and PET")},
}
"""Challenge -> key -> (folder below sample_data, title)."""


@dataclass(frozen=True)
class Submission:
    """A sample submission: a prediction file or a model.

    Attributes:
        title: Its name on pages.
        about: What is special about it.
        path: The file or folder.
        size_mib: Declared model size in MiB; None if measured.
    """

    title: str
    about: str
    path: Path
    size_mib: float | None = None

    @property
    def is_model(self) -> bool:
        """Whether it is a model rather than a prediction file."""
        return self.path.suffix == ".onnx"


@dataclass(frozen=True)
class TestSet:
    """A sample test set.

    Attributes:
        name: Name of its folder.
        title: Its name on pages.
        path: Where the truth is.
        submissions: Sample submissions by key.
        metadata: A table about its cases, or None.
    """

    name: str
    title: str
    path: Path
    submissions: Mapping[str, Submission]
    metadata: Path | None = None


def test_sets(challenge_id: str) -> dict[str, TestSet]:
    """Return the sample test sets of a challenge by key."""
    return {
        key: TestSet(
            folder,
            title,
            _truth(FOLDER / folder),
            _submissions(challenge_id, FOLDER / folder),
            _metadata(FOLDER / folder),
        )
        for key, (folder, title) in SETS[challenge_id].items()
    }


def _truth(folder: Path) -> Path:
    """Where the truth is: a folder of its own where any file could be taken for truth, else the sample's."""
    own = folder / "truth"
    return own if own.is_dir() else folder


def _metadata(folder: Path) -> Path | None:
    path = folder / "metadata.csv"
    return path if path.exists() else None


def models(challenge_id: str) -> dict[str, Submission]:
    """Return the models of a challenge's first sample by key, also where the challenge itself scores none."""
    folder, _ = next(iter(SETS[challenge_id].values()))
    return _listed(FOLDER / folder, "models.json", "models")


def _submissions(challenge_id: str, folder: Path) -> dict[str, Submission]:
    """What can be scored: teams, and models where the challenge scores models."""
    teams = _listed(folder, "teams.json", "teams")
    return (
        teams
        if hasattr(load_challenge(challenge_id), "NO_MODEL")
        else teams | _listed(folder, "models.json", "models")
    )


def _listed(folder: Path, listing: str, place: str) -> dict[str, Submission]:
    """What a listing of a sample's folder describes, if it has one."""
    if not FOLDER.is_dir():
        raise FileNotFoundError(
            "The sample data comes with a checkout of Benchside, not with the installed package: "
            f"{FOLDER} is not there."
        )
    if not (folder / listing).exists():
        return {}
    files = {path.stem: path for path in (folder / place).iterdir()}
    entries = json.loads((folder / listing).read_text(encoding="utf-8"))
    return {
        key: Submission(entry["title"], entry["about"], files[key], entry.get("model_size_mib"))
        for key, entry in entries.items()
    }
