"""Chosen image: facts about it for the sections of the page."""

from dataclasses import dataclass

from scoring.single_image.photograph import Photograph


@dataclass(frozen=True)
class ChosenImage:
    """The image on the page.

    Attributes:
        token: Its random name in this session.
        photograph: Its pixels, as models receive them.
        case: Its position in the test set, None for a visitor's image.
        person: Name of the person in it: photographs of one lesion share age, sex and body site.
        number: Its number among the photographs of the lesion, from 1.
        others: The further photographs of the same lesion.
    """

    token: str
    photograph: Photograph
    name: str
    case: int | None = None
    person: str = ""
    number: int = 1
    others: tuple["ChosenImage", ...] = ()
