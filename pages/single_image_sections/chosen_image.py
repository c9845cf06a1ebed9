"""Chosen image: facts about it for the sections of the page."""

from dataclasses import dataclass

import streamlit as st

from scoring.single_image.photograph import Photograph
from scoring.single_image.whole_slide import WholeSlide

MOST_MB = 64
"""Maximum size of the file of a photograph."""


def upload_mb(is_tile: bool) -> int:
    """Return the maximum size of a file: a slide may have all that the server accepts."""
    return int(st.get_option("server.maxUploadSize")) if is_tile else MOST_MB


@dataclass(frozen=True)
class ChosenImage:
    """The image on the page.

    Attributes:
        token: Its random name in this session.
        photograph: Its pixels, as models receive them.
        case: Its position in the test set, None for a visitor's image.
        person: Name of the person in it: photographs of one lesion share age, sex and body site.
        number: Its number among the photographs of the lesion, from 1.
        slide: The visitor's slide of which the photograph is a region, None for other images.
    """

    token: str
    photograph: Photograph
    name: str
    case: int | None = None
    person: str = ""
    number: int = 1
    others: tuple["ChosenImage", ...] = ()
    slide: WholeSlide | None = None

    @property
    def pixel_bytes(self) -> int:
        """Bytes of memory that its pixels take."""
        return self.photograph.held_bytes + (self.slide.overview.nbytes if self.slide else 0)

    @property
    def held_bytes(self) -> int:
        """The same with the file of a slide, of which other regions are read later."""
        return self.pixel_bytes + (len(self.slide.data) if self.slide else 0)
