"""Routing of dropped files to an input of the page, by the result of
`scoring.challenges.recognition.recognise`.

This module does not use the session: `route` returns a value, and `pages/input_widgets/dropped_files.py`
applies it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scoring.challenges import REGISTRY
from scoring.challenges.recognition import Recognised
from scoring.core.file_contents import LIKELY, SURE, Candidate, InputSlot

FILES_KEYS = {
    "truth": "{}_set_kept",
    "submission": "{}_submission_kept",
    "second": "{}_second_kept",
    "metadata": "{}_metadata_kept",
    "tile_model": "single_{}_model_kept",
    "board": "{}_teams_zip_files_kept",
    "teams": "{}_teams_files_kept",
}
"""Session key of the visitor's files for an input, by challenge."""
NAMES = {
    "truth": "test set",
    "submission": "submission",
    "second": "second submission",
    "metadata": "metadata",
    "tile_model": "model",
}
"""Name of an input on the page."""
SEVERAL = 3
"""Minimum number of dropped submissions to one challenge that are compared as teams. Of two submissions, the
other one becomes the second submission."""


def files_key(candidate: Candidate) -> str:
    """Return the session key for files of a candidate's input."""
    return FILES_KEYS[candidate.place].format(candidate.challenge)


@dataclass(frozen=True)
class Drop:
    """Files that belong together, and where they were dropped.

    Attributes:
        challenge: Challenge of the input; None if files were dropped for any input.
        slot: The input; None for any.
        are_photographs: Whether the page of single images could use them.
        filled: Keys of the inputs that earlier parts of the drop filled.
    """

    recognised: Recognised
    challenge: str | None = None
    slot: InputSlot | None = None
    n_parts: int = 1
    are_photographs: bool = False
    own: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()

    @property
    def best(self) -> Candidate | None:
        """The likeliest candidate."""
        return self.recognised.readings[0] if self.recognised.readings else None

    @property
    def plain(self) -> Candidate | None:
        """The candidate that is likelier than all others."""
        return self.best if self.recognised.is_plain else None

    @property
    def here(self) -> Candidate | None:
        """The candidate for the input where they were dropped."""
        wanted = (self.challenge, self.slot)
        return next((c for c in self.recognised.readings if (c.challenge, c.place) == wanted), None)

    @property
    def holds_own(self) -> bool:
        """Whether the input already has the visitor's files."""
        return self.slot is not None and FILES_KEYS[self.slot].format(self.challenge) in self.own

    @property
    def asked(self) -> tuple[Candidate, ...]:
        """The candidates to ask about: where a test set would be replaced, also the input of the drop."""
        readings = self.recognised.readings
        if self.challenge is None or self.slot is None or not _would_replace_truth(self):
            return readings
        here = self.here or Candidate(self.challenge, self.slot, f"the {NAMES[self.slot]}", LIKELY)
        likely = replace(here, certainty=max(LIKELY, here.certainty))
        return tuple(dict.fromkeys(likely if reading == here else reading for reading in (*readings, here)))

    def free(self, candidate: Candidate | None) -> Candidate | None:
        """Return where files go that were dropped together with others: of two submissions, one is the second
        submission, which the page compares; None if both places are occupied."""
        if candidate is None:
            return None
        options = (candidate, _as_second(candidate)) if candidate.place == "submission" else (candidate,)
        return next((option for option in options if files_key(option) not in self.filled), None)


@dataclass(frozen=True)
class Route:
    """A page's action for files.

    Attributes:
        step: "stay": they stay at the input; "place": they go to the candidate's input; "ask": the visitor is
            asked, or told why nothing accepts them; "photograph": the visitor says what they show.
        candidate: Their recognised use; None if the input's own reader decides.
        opens_page: Whether the candidate's page opens.
    """

    step: Literal["stay", "place", "ask", "photograph"]
    candidate: Candidate | None = None
    opens_page: bool = False


def _would_replace_truth(drop: Drop) -> bool:
    """Return whether files look most like a test set of the challenge, and were dropped at another input:
    where a file is dropped decides, so that only a visitor's answer replaces a test set."""
    best = drop.best
    truth = (drop.challenge, "truth")
    return drop.slot not in (None, "truth") and best is not None and (best.challenge, best.place) == truth


def _is_for_declared(drop: Drop) -> bool:
    """Return whether files were dropped at an input of a declared challenge, whose file names them."""
    return drop.challenge is not None and drop.challenge not in REGISTRY


def _is_photograph(drop: Drop) -> bool:
    """Return whether nothing takes photographs; beside own files they can be the images of those."""
    return drop.best is None and drop.are_photographs and not drop.holds_own


def _is_for_reader(drop: Drop) -> bool:
    """Return whether the input's own reader says what is wrong: nothing takes the files, or they are some
    table at the input of metadata."""
    if drop.slot is None:
        return False
    return drop.best is None or (drop.slot == "metadata" and drop.best.certainty < SURE)


def _lacks_test_set(drop: Drop) -> bool:
    """Return whether files that were dropped as a submission are as likely a test set, while no test set has
    their cases: nothing could be scored, and they may be the test set that is missing. A file of one case is
    hardly that."""
    here = drop.here
    if here is None or drop.recognised.is_plain or here.test_set is not None:
        return False
    if FILES_KEYS["truth"].format(here.challenge) in drop.own:
        return False
    is_submission = here.place in ("submission", "second") and here.certainty >= LIKELY and len(here.ids) > 1
    truth = (here.challenge, "truth")
    return is_submission and any((c.challenge, c.place) == truth for c in drop.recognised.readings[:2])


def _is_for_input(drop: Drop) -> bool:
    """Return whether files are for the input at which they were dropped, and not rather for another one:
    nothing else looks so, a test set that is there has their cases, or they came together with others."""
    here, best = drop.here, drop.best
    if here is None or best is None:
        return False
    has_cases = here.test_set is not None or FILES_KEYS["truth"].format(here.challenge) in drop.own
    if here.place == "submission" and has_cases and drop.n_parts == 1:
        return True
    decided = best.certainty == SURE or drop.n_parts > 1
    return not (drop.recognised.is_plain and best != here and here.certainty < SURE and decided)


def _at_input(drop: Drop) -> Route:
    free = drop.free(drop.here)
    if free is None:
        return Route("ask")
    return Route("stay" if free == drop.here else "place", free)


def _is_for_other_input(drop: Drop) -> bool:
    """Return whether files are plainly for another input of the challenge, or a board; where any input is
    meant, for one that is free."""
    if drop.plain is None:
        return False
    if drop.slot is None:
        return drop.free(drop.plain) is not None
    return drop.plain.challenge == drop.challenge or drop.plain.place == "board"


def _at_other_input(drop: Drop) -> Route:
    if drop.slot is None:
        return Route("place", drop.free(drop.plain), opens_page=True)
    return Route("place", drop.plain, opens_page=drop.plain is not None and drop.plain.place == "board")


def _is_unlikely(drop: Drop) -> bool:
    """Return whether files at an input hardly look like another challenge's: the reader here says what is
    wrong."""
    unlikely = drop.best is not None and drop.best.certainty < LIKELY and drop.best.test_set is None
    return drop.slot is not None and unlikely


ROUTES: tuple[tuple[Callable[[Drop], bool], Callable[[Drop], Route]], ...] = (
    (_is_for_declared, lambda _: Route("stay")),
    (_is_photograph, lambda _: Route("photograph")),
    (_is_for_reader, lambda _: Route("stay")),
    (_lacks_test_set, lambda _: Route("ask")),
    (_is_for_input, _at_input),
    (_would_replace_truth, lambda _: Route("ask")),
    (_is_for_other_input, _at_other_input),
    (_is_unlikely, lambda _: Route("stay")),
    (lambda _: True, lambda _: Route("ask")),
)
"""Condition -> route; the first true condition decides."""


def route(drop: Drop) -> Route:
    """Return the page's action for files that belong together."""
    return next(make_route(drop) for holds, make_route in ROUTES if holds(drop))


def read_as_second(recognised: Recognised, challenge_id: str) -> Recognised:
    """Return dropped files as a second submission, if they are a submission to the challenge."""
    submission = (challenge_id, "submission")
    readings = (_as_second(c) if (c.challenge, c.place) == submission else c for c in recognised.readings)
    return replace(recognised, readings=tuple(readings))


def _as_second(submission: Candidate) -> Candidate:
    return replace(submission, place="second", words=f"second submission: {submission.words}")


def submitted_to(recognised: Recognised) -> str | None:
    """Return the challenge if the files are clearly a submission; None otherwise."""
    best = recognised.readings[0] if recognised.is_plain else None
    return best.challenge if best is not None and best.place == "submission" else None


def compared_teams(parts: Sequence[Recognised]) -> dict[str, list[int]]:
    """Return the challenges to which several submissions were dropped, each with the indices of these."""
    teams: dict[str, list[int]] = {challenge_id: [] for challenge_id in REGISTRY}
    for index, part in enumerate(parts):
        challenge_id = submitted_to(part)
        if challenge_id is not None and len(part.files) == 1:
            teams[challenge_id].append(index)
    return {challenge_id: indices for challenge_id, indices in teams.items() if len(indices) >= SEVERAL}


def other_challenge(parts: Sequence[Recognised], challenge_id: str) -> str | None:
    """Return the challenge of teams that were dropped on another challenge's page, if all are submissions to
    it. None if they stay, as for a declared challenge, whose file names them."""
    if challenge_id not in REGISTRY:
        return None
    known = {submitted for part in parts if (submitted := submitted_to(part)) is not None}
    return known.pop() if len(known) == 1 and challenge_id not in known else None


def as_teams(challenge_id: str, n_teams: int) -> Candidate:
    """Return the candidate for several submissions to a challenge."""
    description = f"{n_teams} submission{'s' * (n_teams > 1)} to {REGISTRY[challenge_id].short_name}"
    return Candidate(challenge_id, "teams", description, SURE)
