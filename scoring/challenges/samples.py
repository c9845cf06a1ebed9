"""Sample data (test sets, teams, small models), which `sample_data/generator` generates."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.challenges import load_challenge
from scoring.core.challenge import Challenge

ROOT = Path(__file__).parents[2]
FOLDER = next(
    (place for place in (ROOT / "sample_data", ROOT / "benchside_app" / "sample_data") if place.is_dir()),
    ROOT / "sample_data",
)
"""Folder of the samples: in a checkout of the project, or in the installed package."""


@dataclass(frozen=True)
class SampleSubmission:
    """A sample submission: a prediction file or a model.

    Attributes:
        options: Options of `score` for this submission, such as the size of its model.
    """

    title: str
    about: str
    path: Path
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_model(self) -> bool:
        return self.path.suffix == ".onnx"


@dataclass(frozen=True)
class SampleTestSet:
    """A generated test set in a folder.

    Attributes:
        submissions: Sample submissions by key.
    """

    name: str
    title: str
    path: Path
    submissions: Mapping[str, SampleSubmission]
    metadata: Path | None = None


NO_SAMPLE = SampleTestSet("", "", FOLDER, {})
"""Sample that is returned if a challenge has none."""


def picture(challenge_id: str) -> bytes | None:
    """Return the picture of a challenge as a JPEG; None if there is none."""
    path = FOLDER / "pictures" / f"{challenge_id}.jpg"
    return path.read_bytes() if path.exists() else None


def test_sets(challenge_id: str) -> dict[str, SampleTestSet]:
    """Return the sample test sets of a challenge by key."""
    challenge = load_challenge(challenge_id)
    return {
        sample.key: SampleTestSet(
            sample.folder,
            sample.title,
            _truth(FOLDER / sample.folder),
            _submissions(challenge, FOLDER / sample.folder),
            _metadata(FOLDER / sample.folder),
        )
        for sample in challenge.samples
    }


def _truth(folder: Path) -> Path:
    """Return where the truth is: a folder of its own where any file could be taken for truth, else the
    sample's."""
    own = folder / "truth"
    return own if own.is_dir() else folder


def _metadata(folder: Path) -> Path | None:
    path = folder / "metadata.csv"
    return path if path.exists() else None


def models(challenge_id: str) -> dict[str, SampleSubmission]:
    """Return the models of a challenge's first sample by key, even if the challenge accepts no models."""
    challenge = load_challenge(challenge_id)
    return _listed(challenge, FOLDER / challenge.samples[0].folder, "models")


def _submissions(challenge: Challenge[Any, Any], folder: Path) -> dict[str, SampleSubmission]:
    """Return the sample submissions: teams, and models if the challenge scores models."""
    teams = _listed(challenge, folder, "teams")
    return teams if challenge.model is None else teams | _listed(challenge, folder, "models")


def _listed(challenge: Challenge[Any, Any], folder: Path, kind: str) -> dict[str, SampleSubmission]:
    """Return what `teams.json` or `models.json` of a sample's folder describes, if it has one."""
    if not FOLDER.is_dir():
        raise FileNotFoundError(f"There is no sample data at {FOLDER}.")
    listing = folder / f"{kind}.json"
    if not listing.exists():
        return {}
    files = {path.stem: path for path in (folder / kind).iterdir()}
    own = [option.name for option in challenge.options if option.per_team and kind == "teams"]
    return {
        key: SampleSubmission(
            entry["title"], entry["about"], files[key], {name: entry.get(name) for name in own}
        )
        for key, entry in json.loads(listing.read_text(encoding="utf-8")).items()
    }


def model_digests() -> frozenset[str]:
    """Return the SHA-256 of every sample model."""
    return frozenset(hashlib.sha256(path.read_bytes()).hexdigest() for path in FOLDER.glob("*/models/*.onnx"))
