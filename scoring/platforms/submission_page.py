"""Makes the page "What to submit" for participants on a platform, with an example submission that can be
scored."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import escape

from scoring.common.file_opening import zipped
from scoring.common.text import shortened
from scoring.core.challenge import Challenge
from scoring.platforms import grand_challenge_sockets
from scoring.platforms.evaluation import PlatformSettings

PER_DAY, IN_ALL = 5, 100
"""Maximum submissions of a team per day and in total, because frequent submissions reveal a hidden truth."""
FILE, FOLDER = "what-to-submit.md", "example"
SHOWN, WIDTH = 5, 200
"""Maximum number of lines of an example on a page, and of characters of a line."""


@dataclass(frozen=True)
class SubmissionPage:
    """Page for participants that describes a submission, as Markdown or HTML.

    Attributes:
        paragraphs: Text before and after the example.
        listing: First lines or first files of the example.
    """

    paragraphs: tuple[str, str]
    listing: tuple[str, ...]
    example: tuple[str, bytes] | None

    def files(self) -> dict[str, bytes]:
        """Return the page and the example submission as files."""
        example = {} if self.example is None else {f"{FOLDER}/{self.example[0]}": self.example[1]}
        return {FILE: self.markdown(), **example}

    def markdown(self) -> bytes:
        """Return the page as Markdown."""
        before, after = self.paragraphs
        listed = "\n".join(f"    {line}" for line in self.listing)
        return f"# What to submit\n\n{before}\n\n{listed}\n\n{after}\n".encode()

    def html(self) -> bytes:
        """Return the page as HTML."""
        before, after = (f"<p>{escape(text)}</p>".replace("\n\n", "</p><p>") for text in self.paragraphs)
        listed = escape("\n".join(self.listing))
        return f"<h1>What to submit</h1>\n{before}\n<pre>{listed}</pre>\n{after}\n".encode()


def submission_page(settings: PlatformSettings, truth: Any, platform: str) -> SubmissionPage:
    """Return the submission page of a challenge.

    Args:
        truth: The test set; the page shows the names and number of its cases.
        platform: One of `platform_bundles.PLATFORMS`.
    """
    challenge = settings.challenge
    example = None if challenge.inputs.example is None else challenge.inputs.example(truth)
    limits = f"{PER_DAY} submissions a day and {IN_ALL} in total, unless the organizers set other limits."
    told = f"{challenge.scoring.direction}, {challenge.scoring.quantity().words}"
    after = [f"The score: {challenge.formula(settings.options)}; {told}.", limits]
    after[0] += challenge.comparison.order
    if challenge.inputs.note:
        after.insert(0, challenge.inputs.note)
    if platform == "grand-challenge":
        after.insert(0, _of_jobs(challenge, settings.sockets))
    if example is None:
        return SubmissionPage((f"{challenge.inputs.submission.words}.", "\n\n".join(after)), (), None)
    name, data = example
    is_zip = name.endswith(".zip")
    with zipfile.ZipFile(io.BytesIO(data if is_zip else zipped([example]))) as archive:
        members = archive.namelist()
    contents = f"A zip with these files ({len(members):,} in all)" if is_zip else "A table (CSV)"
    if any(member.endswith(".mha") for member in members):
        contents += ", each mask as MetaImage or NIfTI (.mha, .nii or .nii.gz)"
    lines = members if is_zip else data.decode().splitlines()
    if platform == "codabench":  # it takes nothing but zips
        contents = contents if is_zip else "A zip of one table (CSV)"
        name, data = "example_submission.zip", data if is_zip else zipped([example])
    before = f"{contents} with the names listed here, for each of the {len(truth):,} cases, in any order:"
    after.insert(
        0,
        f"The example ({name}) can be scored unchanged; its predictions do not depend on the cases. "
        "Replace these predictions with your own.",
    )
    listing = [shortened(line, WIDTH) for line in lines[:SHOWN]] + ["..."] * (len(lines) > SHOWN)
    return SubmissionPage((before, "\n\n".join(after)), tuple(listing), (name, data))


def _of_jobs(challenge: Challenge[Any, Any], slugs: Mapping[str, str]) -> str:
    """Return what an algorithm writes for a case."""
    usual = grand_challenge_sockets.parts(challenge.inputs) | dict(slugs)
    outputs = {part: slug for part, slug in usual.items() if part != grand_challenge_sockets.CASE}
    if not challenge.inputs.outputs:
        slug, (answer, kind) = outputs[grand_challenge_sockets.ANSWER], challenge.inputs.per_case
        socket = f"the socket {slug}" if slug else f"one socket of the kind {kind}"
        return f"If the phase runs algorithms, each algorithm writes {answer} for a case to {socket}."
    listed = ", ".join(f"{part} to {slug}" for part, slug in outputs.items())
    return (
        f"If the phase runs algorithms, each algorithm writes these outputs for a case: {listed} (sockets)."
    )
