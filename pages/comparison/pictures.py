"""Cases as pictures, with what the teams made of them."""

from collections.abc import Mapping, Sequence

from pages.challenge import scoring_run
from pages.comparison.context import ComparisonContext
from pages.display.layout import GalleryCard
from pages.display.tables import shortener
from scoring.challenges.classification_views import class_name
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.presentation.figures.numerals import decimal


def pictures(
    compared: ComparisonContext, places: Sequence[int], named_teams: Sequence[str]
) -> list[GalleryCard]:
    """Cards of cases: truth, and what each named team made of it."""
    images = scoring_run.thumbnails(compared.challenge.id, compared.truth_key, tuple(places), compared.truth)
    risks, cards = compared.challenge.display.class_risks, compared.comparison.cards
    short = shortener([row["case"] for row in cards[named_teams[0]].cases])
    found = []
    for image, place in zip(images, places, strict=True):
        row = cards[named_teams[0]].cases[place]
        truth = row.get("truth")
        lines = [f"**{class_name(truth, risks.get(truth))}**"] if truth else []
        for name in named_teams:
            lines.append(f":gray[{markdown(name, 20)}] {made(compared, cards[name], place, risks)}")
        name = short(row["case"]).rsplit("/", 1)[-1]
        found.append(GalleryCard(image, f"Case {row['case']}, truth {truth}", lines, name))
    return found


def made(compared: ComparisonContext, card: ScoreCard, place: int, risks: Mapping[str, str]) -> str:
    """Return what a team made of one case, as Markdown."""
    row = card.cases[place]
    if "truth" in row:
        called = row.get("predicted")
        return class_name(called, risks.get(called)) if called else "no prediction"
    value = float(compared.comparison.spec.correct(card)[place])
    return decimal(value, 3)
