"""Models that classify one image: resizes the image to the declared size in one bilinear step, reports cases
without an image, and reads the order of outputs from the metadata entry `categories`."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from scoring.common.findings import Finding, InputRefused, error, note, warning
from scoring.inference import preflight, thumbnails
from scoring.inference.challenge_task import CaseImages, ModelFile, Task, no_images
from scoring.inference.model_contract import image_size
from scoring.inference.preflight import Inspection, declared_size
from scoring.inference.preprocessing import ImageInfo, Recipe
from scoring.inference.single_image_task import OutputOrder
from scoring.inference.worker_results import ModelFacts
from scoring.inputs.sources import SourceFiles

PICTURE_SIDE = 224
SHOWN = 3
OTHER_ENTRIES = ("names", "id2label", "class_names", "classes", "labels")
"""Metadata entries of model files in which ultralytics, transformers and others name the outputs."""
NUMBERED = re.compile(r"""['"]?(\d{1,4})['"]?\s*:\s*['"]([^'"]{0,200})['"]""", re.ASCII)


def recipe_for(facts: ModelFacts) -> Recipe:
    """Return the recipe that resizes an image in one bilinear step to the size that the model declares; 224
    if the model leaves the size open."""
    return recipe_of_size(*image_size(facts))


def recipe_of_size(width: int | None, height: int | None) -> Recipe:
    """Return the recipe for a model that declares this size. None stands for a size that the model leaves
    open."""
    return Recipe(((width or PICTURE_SIDE, height or PICTURE_SIDE, "bilinear"),))


class HasPhotographs(Protocol):
    """Cases with their images. Cases with several possible images are in `ambiguous`."""

    @property
    def ids(self) -> tuple[str, ...]: ...
    @property
    def pictures(self) -> SourceFiles: ...
    @property
    def photographs(self) -> Sequence[Sequence[str]]: ...
    @property
    def ambiguous(self) -> Collection[int]: ...


def image_problems(
    pictures: SourceFiles,
    ids: Sequence[str],
    members: Sequence[Sequence[str]],
    ambiguous: Collection[int],
) -> list[Finding]:
    """Return a finding `image-missing` for every case without an image (a single one if there are no images),
    and `ambiguous-image` for cases with several possible images.

    Args:
        ids: Case ids [N].
        members: Names of the files that may be the image of each case [N].
    """
    absent = [i for i, of_case in enumerate(members) if not of_case]
    if len(absent) == len(ids):
        return [no_images(pictures.name)]
    missing = (
        error("image-missing", ids[i], f"there is no image {ids[i]} in {pictures.name}: add it.")
        for i in absent
    )
    several = (
        error(
            "ambiguous-image",
            ids[i],
            f"several files show {ids[i]}: {', '.join(members[i][:SHOWN])}. Keep one.",
        )
        for i in sorted(ambiguous)
    )
    return [*missing, *several]


def inspect_on_images(
    file: ModelFile,
    task: Task,
    cases: HasPhotographs | None,
    usable: CaseImages | None,
    check: Callable[[Inspection], Sequence[Finding]],
    timings: bool = False,
    cancelled: Callable[[], bool] | None = None,
) -> Inspection:
    """Check a model on images before it runs. Raises InputRefused with every problem of the model and the
    images.

    Args:
        file: The model.
        cases: All cases; each needs an image.
        usable: The cases with an image, which are used for trial runs.
        check: Function that returns notes about the outputs of trial runs, or refuses them.
        timings: Whether to measure the time per image.
    """
    images: list[Finding] = []
    if cases is not None:
        images = image_problems(cases.pictures, cases.ids, cases.photographs, cases.ambiguous)
    try:
        inspection = preflight.inspect(file, task, usable, timings, cancelled)
        about = check(inspection)
    except InputRefused as refused:
        raise InputRefused([*refused.problems, *images], refused.findings) from refused
    if images:
        raise InputRefused(images, inspection.findings)
    return replace(inspection, findings=(*inspection.findings, *about))


def named_outputs(metadata: Mapping[str, str], expected: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the classes that a model's metadata entry `categories` names; empty if there is no such entry.

    Args:
        expected: Classes that an entry which another program wrote (`OTHER_ENTRIES`) must name to be
            accepted.
    """
    own = tuple(c.strip() for c in metadata.get("categories", "").split(",") if c.strip())
    others = (_listed(metadata.get(name, "")) for name in OTHER_ENTRIES)
    return own or next((names for names in others if sorted(names) == sorted(expected)), ())


def own_names(metadata: Mapping[str, str], count: int) -> tuple[str, ...]:
    """Return the names of `count` outputs from a model's metadata entries; empty if no entry has this
    many."""
    entries = (_listed(metadata.get(name, "")) for name in ("categories", *OTHER_ENTRIES))
    return next((names for names in entries if len(names) == count), ())


def _listed(text: str) -> tuple[str, ...]:
    """Return the names of `{0: 'MEL', 1: 'NV'}`, in Python or JSON, by number, or of a list."""
    numbered = {int(number): name for number, name in NUMBERED.findall(text)}
    if numbered:
        return tuple(numbered[number] for number in sorted(numbered))
    return tuple(name.strip(" \"'") for name in text.strip("[] \n").split(","))


def output_order(
    metadata: Mapping[str, str], categories: Sequence[str], where: str
) -> tuple[OutputOrder, tuple[Finding, ...]]:
    """Return which output of a model belongs to each class of a truth, from the metadata entry `categories`;
    None if the outputs are read in the order of the truth. A finding reports if the order differs, or if
    names are not used. Raises InputRefused if the entry has other names."""
    own = named_outputs(metadata, categories)
    if not own and (unused := own_names(metadata, len(categories))):
        sentence = (
            f"the model's file names its outputs {', '.join(unused)}. These names are not used: the outputs "
            f"are read as {', '.join(categories)}. Check the order."
        )
        return None, (warning("unused-names", where, sentence),)
    if not own or own == tuple(categories):
        return None, ()
    if sorted(own) != sorted(categories):
        sentence = (
            f"the model's entry `categories` names {', '.join(own)}, but the truth has "
            f"{', '.join(categories)}: use a truth with the model's categories, or correct the entry."
        )
        raise InputRefused([error("wrong-output", where, sentence)])
    sentence = (
        f"the model's file names its outputs {', '.join(own)}. Benchside puts the outputs into the "
        "truth's order."
    )
    return tuple(own.index(name) for name in categories), (note("category-order", where, sentence),)


def order_warnings(metadata: Mapping[str, str], classes: Sequence[str], where: str) -> tuple[Finding, ...]:
    """Return a warning if a model's metadata name the classes in another order; the official program does not
    read them."""
    own = named_outputs(metadata, classes)
    if sorted(own) != sorted(classes) or own == tuple(classes):
        return ()
    sentence = (
        f"the model's file names its outputs {', '.join(own)}. The challenge and Benchside ignore these "
        f"names and read the outputs as {', '.join(classes)}."
    )
    return (warning("category-order", where, sentence),)


def received(
    cases: CaseImages, index: int, model: Mapping[str, Any] | None = None
) -> tuple[list[thumbnails.Stage], ImageInfo]:
    """Return the pixels that a model receives for a case: its image at the size that the model declares.

    Args:
        cases: A test set with images.
        model: The model (`Inspection.model`).
    """
    return thumbnails.received(cases, index, recipe_of_size(*declared_size(model)))
