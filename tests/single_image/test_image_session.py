"""Images of a session: they are answered one after another, and can be stopped, bounded and continued."""

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from scoring.common.findings import InputRefused, error
from scoring.inference.model_pool import Cancelled
from scoring.single_image import image_session, whole_slide
from scoring.single_image.abstention import ImageAnswer, reasons
from scoring.single_image.image_prediction import TurnedViews
from scoring.single_image.image_session import ImageQueue, SessionImage, SourceImage, answer_waiting
from scoring.single_image.model_inputs import model_task
from scoring.single_image.quality import CAUTION, STOP, QualityBadge
from scoring.single_image.wording import SCALE_UNKNOWN
from tests.support import photographs, slides
from tests.support.single_image import lesion, model, of_quadrant, sigmoid_of


def queued(count: int, size: int = 0) -> ImageQueue:
    queue, data = ImageQueue("test"), photographs.encoded(lesion(64))
    for n in range(1, count + 1):
        queue.add(SourceImage(f"image {n}", lambda: data, size=size))
    return queue


@contextmanager
def opening():
    with model(sigmoid_of(of_quadrant()), model_task("melanoma")) as found:
        yield found


def test_outputs_of_unknown_scale_are_no_answer():
    """Without the test set a logit of 0.38 was the score of melanoma."""
    queue = queued(1)
    answer_waiting(lambda: model(of_quadrant(), model_task("melanoma")), queue, None, None)
    assert queue.done[1].answer is None
    assert queue.done[1].remarks().startswith(SCALE_UNKNOWN)


def test_a_stop_keeps_what_is_done_and_the_rest_comes_when_it_goes_on():
    queue, told = queued(5), []
    with pytest.raises(Cancelled):
        answer_waiting(opening, queue, None, None, lambda *steps: told.append(steps), lambda: len(told) == 2)
    first = queue.done
    assert (list(first), list(queue.waiting), told) == ([1, 2], [3, 4, 5], [(1, 5), (2, 5)])
    answer_waiting(opening, queue, None, None)
    assert (list(queue.done), queue.waiting) == ([1, 2, 3, 4, 5], {})
    assert queue.done[1] is first[1]
    assert len({image.answer.prediction.probabilities[1] for image in queue.done.values()}) == 1


def test_images_that_come_while_others_are_answered_come_after_them():
    queue = queued(1)

    def more(done: int, _: int) -> None:
        if done == 1:
            queue.add(SourceImage("image 2", lambda: photographs.encoded(lesion(96))))

    answer_waiting(opening, queue, None, None, more)
    assert [image.source.name for image in queue.done.values()] == ["image 1", "image 2"]


def test_a_slide_among_photographs_is_refused_and_the_others_have_their_answers():
    queue = queued(1)
    queue.add(SourceImage("image 2", lambda: slides.pyramid(slides.tissue(), "jpeg")))
    answer_waiting(opening, queue, None, None)
    assert [image.refused for image in queue.done.values()] == ["", whole_slide.NO_TISSUE]
    assert queue.done[1].answer is not None


@pytest.mark.parametrize(("count", "size", "kept"), [(23, 0, range(4, 24)), (5, 40_000_000, range(4, 6))])
def test_the_oldest_images_make_room_beyond_twenty_and_beyond_100_mb(count, size, kept):
    queue = queued(count, size)
    assert list(queue.waiting) == list(kept)
    assert queue.left_out == count - len(kept)
    assert queue.held_bytes == size * len(kept) <= 100_000_000


def test_an_image_on_which_the_model_crashes_has_no_answer_and_the_others_have_theirs(monkeypatch):
    """The others were told that the model had crashed, and none of them counted against the model."""
    queue, opened, answered = queued(3), [], image_session.answered

    @contextmanager
    def counted():
        with opening() as found:
            opened.append(found)
            yield found

    def crashing(found, *about):
        if len(queue.done) == 1:
            found.close()
            raise InputRefused([error("model-crashed", "the model", "It crashed.")])
        return answered(found, *about)

    monkeypatch.setattr(image_session, "answered", crashing)
    answer_waiting(counted, queue, None, None)
    assert [image.failed for image in queue.done.values()] == ["", "It crashed.", ""]
    assert [image.answer is None for image in queue.done.values()] == [False, True, False]
    assert queue.done[2].remarks().startswith("It crashed.")
    assert len(opened) == 2


@pytest.mark.parametrize(
    ("changed", "told"), [(3, " Caution: another class in 3 of 7 turned copies."), (6, "")]
)
def test_remarks_of_an_image_without_an_answer_count_the_turned_copies_once(changed, told):
    """The CSV file lacked "another class in 3 of 7 turned copies" of images without an answer."""
    turned = TurnedViews(np.array([[0.6, 0.4]] * (8 - changed) + [[0.4, 0.6]] * changed))
    chips = (QualityBadge("likeness", STOP, "nothing like them", "Unlike all."),)
    because = reasons(0.6, None, turned, chips)
    image = SessionImage(
        SourceImage("image 1", lambda: None),
        chips=chips,
        answer=ImageAnswer(SimpleNamespace(), turned, because),
    )
    assert len(because) == (1 if told else 2)
    assert image.remarks(SimpleNamespace(cautions=[])) == " ".join(because) + told


def test_remarks_say_what_is_unknown_of_the_person():
    unknown = ("age unknown: the model received 0",)
    source = SourceImage("image 1", lambda: None, unknown=unknown)
    assert SessionImage(source).remarks(SimpleNamespace(cautions=["a model"])) == f"a model, {unknown[0]}"


@pytest.mark.parametrize("failed", [False, True])
def test_remarks_of_an_image_without_an_answer_have_its_cautions_too(failed):
    """The page showed "Sharpness: blurred", and the CSV file had only another reason for no answer."""
    blurred = QualityBadge("sharpness", CAUTION, "blurred", "This image is blurred.")
    chips = (blurred, QualityBadge("likeness", STOP, "nothing like them", "Unlike all."))
    answer = ImageAnswer(SimpleNamespace(), None, ("Unlike all.",))
    source = SourceImage("image 1", lambda: None)
    image = SessionImage(source, chips=chips, **{"failed": "It crashed."} if failed else {"answer": answer})
    reason = "It crashed." if failed else "Unlike all."
    assert image.remarks(SimpleNamespace(cautions=["a model"])) == f"{reason} Caution: a model, blurred."


def test_nothing_but_a_small_picture_is_kept_of_an_image_that_was_answered():
    queue, data = ImageQueue("test"), photographs.encoded(np.zeros((800, 800, 3), np.uint8))
    queue.add(SourceImage("image 1", lambda: data, size=len(data)))
    answer_waiting(opening, queue, None, None)
    (image,) = queue.done.values()
    assert image.answer.prediction.prepared.size == 0
    assert image.prepared is image.source.picture() is None
    assert queue.held_bytes == len(image.preview) < 100_000
