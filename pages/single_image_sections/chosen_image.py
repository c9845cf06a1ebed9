"""Chosen image: facts about it for the parts of the page of single images."""

from dataclasses import dataclass

from scoring.single_image.photograph import Photograph


@dataclass(frozen=True)
class ChosenImage:
    """The image in use.

    Attributes:
        token: Names it in this session, and holds nothing of it.
        photograph: Its pixels, as models receive them.
        case: Its place in the test set, None for an own one.
        person: Names the person whom it shows: photographs of one lesion share age, sex and body site.
        number: Its place among the photographs of the lesion, from 1.
        others: The further photographs of the same lesion.
    """

    token: str
    photograph: Photograph
    name: str
    case: int | None = None
    person: str = ""
    number: int = 1
    others: tuple["ChosenImage", ...] = ()
