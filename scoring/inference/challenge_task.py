"""Task of a model: contract and messages of the challenge, cases with images, and the model file."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, cast

from scoring.common.arrays import Floats
from scoring.common.file_opening import read_file
from scoring.common.findings import Finding, InputRefused, error
from scoring.inference.model_contract import Contract
from scoring.inference.model_edits import edited_model
from scoring.inference.model_pool import RunOnAll, run_on_all
from scoring.inference.preprocessing import Recipe
from scoring.inference.timed_worker import Limits, too_large
from scoring.inference.worker_results import ModelFacts
from scoring.inputs.sources import FixedSource, SourceFiles


class CaseImages(Protocol):
    """N cases, each with or without an image.

    Attributes:
        images: Name in `pictures` of each case's image; None if there is none.
    """

    @property
    def ids(self) -> tuple[str, ...]: ...
    @property
    def images(self) -> tuple[str | None, ...]: ...
    @property
    def pictures(self) -> SourceFiles: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...

    def __len__(self) -> int: ...

    def picture(self, index: int) -> bytes | None:
        """Return the encoded image of a case; None if there is none. Raises InputRefused if the image file
        cannot be read."""
        ...


def no_images(name: str) -> Finding:
    """Return the finding `image-missing` about a source without images of the cases."""
    return error(
        "image-missing",
        name,
        "it contains no images for the model: give a folder or zip with images, or --images.",
    )


def missing_images(cases: CaseImages, advice: str) -> list[Finding]:
    """Return a finding `image-missing` for every case without an image, or a single one if there are no
    images at all."""
    absent = [i for i, member in enumerate(cases.images) if member is None]
    if len(absent) == len(cases):
        return [no_images(cases.pictures.name)]
    return [
        error(
            "image-missing",
            cases.ids[i],
            f"the image of case {cases.ids[i]} is not in {cases.pictures.name}. {advice}",
        )
        for i in absent
    ]


Model = str | os.PathLike[str] | bytes | FixedSource
"""An ONNX model as a path or bytes, possibly with edits."""


@dataclass(frozen=True)
class ModelFile:
    """The bytes of a model, and its name in messages."""

    data: bytes
    name: str


@dataclass(frozen=True)
class Wording:
    """Ends of messages about images and outputs, which say what the official program does with them."""

    missing_image: str = "Add it."
    unreadable_image: str = "Export it again as JPEG or PNG."
    small_image: str = "."
    transparent_image: str = ". Benchside removes it."
    not_finite: str = ". Fix the model."
    not_finite_trial: str = "; such cases are refused."
    slow: str = "the model is stopped."


def no_size_findings(_size_mib: float, _name: str) -> list[Finding]:
    """Return no findings, for challenges in which the size of a model does not matter."""
    return []


@dataclass(frozen=True)
class Task:
    """How a challenge checks and runs a model.

    Attributes:
        contract: Inputs and outputs that the challenge requires.
        size_findings: Function from a model's size in MiB and its name to findings about the size.
        base: Second input of the trial runs [k]; None if models take only the image.
        changes: Other second inputs that the trial runs compare with `base`, by field.
        shortest_side: Minimum pixels of an image's shorter side.
        run_images: Function that runs a model on all images, either on this machine or on a cluster.
    """

    contract: Contract
    recipe_for: Callable[[ModelFacts], Recipe]
    size_findings: Callable[[float, str], list[Finding]] = no_size_findings
    base: Floats | None = None
    changes: Mapping[str, Sequence[Floats]] | None = None
    shortest_side: int = 0
    wording: Wording = Wording()
    run_images: RunOnAll = run_on_all


def read_model(model: Model, name: str | None = None) -> ModelFile:
    """Read a model.

    Args:
        model: Path or bytes of the model.
        name: Name of the model in messages; by default the file's name.

    Raises:
        InputRefused: If the file cannot be read (`model-unreadable`).
    """
    if isinstance(model, FixedSource):
        plain = read_model(cast(Model, model.source), name)
        return replace(plain, data=edited_model(plain.data, plain.name, model.changes.edits))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return ModelFile(bytes(model), name or "the model")
    path, most = Path(model), Limits().model_bytes
    try:
        size = max(path.stat().st_size, 0)
        data = b"" if size > most else read_file(path, most + 1)
    except OSError as problem:
        sentence = f"The file cannot be read: {problem.strerror}. Check the path."
        raise InputRefused([error("model-unreadable", name or path.name, sentence)]) from problem
    if max(size, len(data)) > most:
        raise InputRefused([error("model-unreadable", name or path.name, too_large(size, most))])
    return ModelFile(data, name or path.name)
