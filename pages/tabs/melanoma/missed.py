"""Missed melanomas of a submission, then its false alarms."""

from functools import partial

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
from pages.display.layout import GalleryCard
from pages.tabs.melanoma import prevalence
from scoring.challenges.melanoma.formula import ID
from scoring.challenges.melanoma.views import NAMES, calls
from scoring.core.scorecard import ScoreCard
from scoring.presentation.figures.numerals import decimal

GALLERIES = (
    ("missed", "Missed melanomas, lowest score first", ("positive", "negative"), 1),
    ("alarms", "False alarms, highest score first", ("negative", "positive"), -1),
)
"""Key, title, (truth, called) of its cases, and 1 where the lowest score comes first."""


def galleries(shown: ScoredSubmission) -> None:
    """Draw what a call is worth, and the cases that were called wrongly."""
    scored_submission.block(calls(shown.card))
    prevalence.worth(shown)
    for key, title, wrong, direction in GALLERIES:
        places = _places(shown.card, wrong, direction)
        layout.gallery(
            f"{title}, {len(places)} case{'s' * (len(places) != 1)}",
            "The number is the score; above 0.5 a case is flagged. Photographs are turned upright for the "
            "eye; the model receives them as they are.",
            len(places),
            partial(_pictures_between, shown, places),
            key,
        )


def _places(card: ScoreCard, wrong: tuple[str, str], direction: int) -> list[int]:
    """Return indices of cases with that truth that were called so, or nothing, those first."""
    truth, called = wrong
    found = [i for i, c in enumerate(card.cases) if c["truth"] == truth and c["predicted"] in (called, None)]
    return sorted(
        found,
        key=lambda i: (card.cases[i]["output"] is not None, direction * (card.cases[i]["output"] or 0)),
    )


def _pictures_between(shown: ScoredSubmission, places: list[int], start: int, stop: int) -> list[GalleryCard]:
    return pictures(shown, places[start:stop])


def pictures(shown: ScoredSubmission, places: list[int]) -> list[GalleryCard]:
    """Return cases as cards of a gallery. places: in `card.cases`."""
    images = scoring_run.thumbnails(ID, shown.truth_key, tuple(places), shown.truth)
    found = []
    for image, i in zip(images, places, strict=True):
        c = shown.card.cases[i]
        shape = ":red[▲] melanoma" if c["truth"] == "positive" else "■ other"
        output = "no prediction" if c["output"] is None else f"score **{decimal(c['output'], 3)}**"
        facts = " ".join(str(v) for v in (c.get("age"), c.get("gender"), c.get("location")) if v is not None)
        found.append(
            GalleryCard(
                image,
                f"Case {c['case']}, truth {NAMES[c['truth']]}, {output.replace('*', '')}",
                (shape, output),
                f"{c['case'].rsplit('/', 1)[-1]} {facts}".strip(),
            )
        )
    return found
