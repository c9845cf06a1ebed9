"""Session of images: each decoded and given to one model, for a reader to look at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from scoring.common.arrays import Array
from scoring.common.findings import InputRefused
from scoring.inference.model_pool import Cancelled
from scoring.inference.model_process import ImageProcess
from scoring.inference.preprocessing import Pixels
from scoring.presentation.figures.single_image import preview
from scoring.single_image.abstention import ImageAnswer, answered, least_score
from scoring.single_image.model import OpenModel
from scoring.single_image.photograph import PHOTOGRAPH_PIXELS, WHOLE_PIXELS, received
from scoring.single_image.quality import MeasuredImages, QualityBadge, chips_of, of_photograph, seen_parts
from scoring.single_image.reader_study import UNSURE
from scoring.single_image.similar_cases import Reference

NOT_KEPT = "This image could not be read from the test set."


@dataclass(frozen=True)
class SourceImage:
    """An image to read.

    Attributes:
        picture: Gives its bytes, None where there are none.
        case: Its place in the test set, None for an own one.
        vector: What the model receives besides; None where it takes the image alone, or is to be asked.
        truth: Its class; UNSURE where it is not known.
    """

    name: str
    picture: Callable[[], bytes | None]
    case: int | None = None
    vector: Array | None = None
    truth: int = UNSURE


@dataclass(frozen=True)
class SessionImage:
    """An image of a session: no more of it is kept than what the model receives and a picture for the eye.

    Attributes:
        source: Where it came from.
        preview: JPEG; b"" where the file was refused.
        prepared: Pixels as the model receives them; None where the file was refused.
        answer: The model's; None where it needs age, sex and body site first, or where it failed.
        refused: Why the file or the model's answer is missing, "" where neither is.
    """

    source: SourceImage
    preview: bytes = b""
    prepared: Pixels | None = None
    chips: tuple[QualityBadge, ...] = ()
    answer: ImageAnswer | None = None
    refused: str = ""


def session_images(
    model: OpenModel,
    sources: Sequence[SourceImage],
    reference: Reference | None,
    measured: MeasuredImages | None,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[SessionImage, ...]:
    """Return the images with the model's answers, where it takes the image alone or `vector` is known.

    Args:
        reference: The model's answers to the test set, None where they are not known.
        measured: Quality and appearance of the test set's images, None where they are not known.
        progress: Called with the images done and their number.
        cancelled: Whether to stop.

    Raises:
        Cancelled: Within one image.
    """
    done: list[SessionImage] = []
    with ImageProcess() as process:
        for source in sources:
            if cancelled and cancelled():
                raise Cancelled
            image = _decoded(model, source, measured, process)
            waits = model.takes_vector and source.vector is None
            done.append(image if image.refused or waits else with_answer(model, image, reference))
            if progress:
                progress(len(done), len(sources))
    return tuple(done)


def _decoded(
    model: OpenModel, source: SourceImage, measured: MeasuredImages | None, process: ImageProcess
) -> SessionImage:
    own = SourceImage(source.name, lambda: None, source.case, source.vector, source.truth)  # lets go of bytes
    data = source.picture()
    if data is None:
        return SessionImage(own, refused=NOT_KEPT)
    try:
        photograph = received(data, process, PHOTOGRAPH_PIXELS if source.case is None else WHOLE_PIXELS)
    except InputRefused as refused:
        return SessionImage(own, refused=refused.problems[0].message)
    quality, parts = of_photograph(photograph), seen_parts(photograph)
    chips = chips_of(quality, parts, model.task.shortest_side, measured, source.case)
    return SessionImage(own, preview(photograph.small), model.prepared(photograph.pixels), chips)


def with_answer(model: OpenModel, image: SessionImage, reference: Reference | None) -> SessionImage:
    """Return an image with the model's answer, or why there is none.

    Args:
        image: An image that could be decoded, with `vector` where the model takes one.
        reference: The model's answers to the test set, None where they are not known.
    """
    assert image.prepared is not None
    least = None if reference is None else least_score(reference)
    try:
        answer = answered(model, image.prepared, image.source.vector, reference, least, image.chips)
    except InputRefused as refused:
        return replace(image, refused=refused.problems[0].message)
    return replace(image, answer=answer)
