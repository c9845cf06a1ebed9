"""The sample data that comes with the project: generated test sets, teams of different skill, small trained models."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "sample_data"
SETS = {
    "tricorder3": {"sample": ("tricorder3", "Sample: 220 drawn lesions, 11 classes")},
    "melanoma": {"sample": ("melanoma", "Sample: 150 drawn lesions, 45 melanomas")},
    "isic": {
        "isic2019": ("isic2019", "Sample as of 2019: 306 drawn images, 8 diagnoses and none of them"),
        "isic2018": ("isic2018", "Sample as of 2018: 250 drawn images, 7 diagnoses"),
    },
}
"""Challenge -> key -> (folder below sample_data, title)."""


@dataclass(frozen=True)
class Submission:
    """A prediction file or a model. size_mib: what a prediction file's model is said to weigh, None for a model, which weighs what it does."""

    title: str
    about: str
    path: Path
    size_mib: float | None = None

    @property
    def is_model(self) -> bool:
        return self.path.suffix == ".onnx"


@dataclass(frozen=True)
class TestSet:
    """A generated test set, a folder with table and images, and what is submitted to it, by key. metadata: a table about its cases."""

    title: str
    path: Path
    submissions: Mapping[str, Submission]
    metadata: Path | None = None


def test_sets(challenge_id: str) -> dict[str, TestSet]:
    """The sample test sets of a challenge by key."""
    return {
        key: TestSet(title, FOLDER / folder, _submissions(FOLDER / folder), _metadata(FOLDER / folder))
        for key, (folder, title) in SETS[challenge_id].items()
    }


def _metadata(folder: Path) -> Path | None:
    path = folder / "metadata.csv"
    return path if path.exists() else None


def _submissions(folder: Path) -> dict[str, Submission]:
    found = {}
    for listing, place in (("teams.json", "teams"), ("models.json", "models")):
        if (folder / listing).exists():
            files = {path.stem: path for path in (folder / place).iterdir()}
            for key, entry in json.loads((folder / listing).read_text(encoding="utf-8")).items():
                found[key] = Submission(entry["title"], entry["about"], files[key], entry.get("model_size_mib"))
    return found
