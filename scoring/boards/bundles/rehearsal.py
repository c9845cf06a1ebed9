"""Rehearsal of an import: the board of a bundle is built in a store in memory, its submissions are scored
again, and its ranking and figures are computed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from scoring.access.roles import LOCAL
from scoring.boards import serialization
from scoring.boards.board import opened
from scoring.boards.bundles.manifest import rows_of
from scoring.boards.bundles.scorecard_checks import cases_digest, same_details, same_replicates, same_values
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.inputs.sources import open_source
from scoring.inputs.team_entries import MODEL
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.kept_files import FileStore, missing

RANKED_VERSIONS = 5
SHARE = 0.05
"""Submissions are scored again up to this share of the maximum unpacked bytes of a bundle."""
DRAWN = 2.5
"""Maximum of cases times replicates per byte of the bundle. Within this limit, intervals and replicates of
the newest submissions are computed again."""


@dataclass(frozen=True)
class BundleFiles:
    """Read-only access to the files of a bundle."""

    contents: Mapping[str, bytes]
    address: str = "bundle"

    def read(self, digest: str) -> bytes:
        """Return the bytes of a file. Raises InputRefused if the bundle lacks the file."""
        if digest not in self.contents:
            raise missing(digest)
        return self.contents[digest]

    def holds(self, digest: str) -> bool:
        """Return whether the bundle contains a file."""
        return digest in self.contents


@dataclass(frozen=True)
class BundleStore(Store):
    """In-memory store that contains the board of a bundle."""

    contents: Mapping[str, bytes] = field(default_factory=dict)

    @cached_property
    def files(self) -> FileStore:
        """Return the read-only files of the bundle."""
        return cast(FileStore, BundleFiles(self.contents))


@contextmanager
def rehearsed(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> Iterator[BundleStore]:
    """Open an in-memory store with the board of a validated manifest."""
    engine = create_engine("sqlite://")
    try:
        schema.Base.metadata.create_all(engine)
        board, lists = rows_of(manifest)
        arrival = schema.ImportedBundle(board_id=board.id, created=schema.now())
        with Session(engine) as session, session.begin():
            for rows in ([board], *lists, [arrival]):
                session.add_all(rows)
                session.flush()
        yield BundleStore(engine, Path(), "bundle", LOCAL, is_read_only=True, contents=files)
    finally:
        engine.dispose()


def unrankable(store: BundleStore, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each of the newest `RANKED_VERSIONS` scored versions of the board whose ranking or
    figures cannot be computed."""
    versions = sorted({scoring["number"] for scoring in manifest["scorings"]})[-RANKED_VERSIONS:]
    for number in versions:
        try:
            public_report.sections(board_ranking(opened(store, manifest["board"]["id"], number)))
        except Exception as problem:  # whatever a card of anybody can cause
            yield f"version {number} of its test set cannot be ranked ({type(problem).__name__})"


def scored_otherwise(store: BundleStore, manifest: Mapping[str, Any], most_bytes: float) -> Iterator[str]:
    """Score the submissions again and yield a message for each result in the bundle that differs.

    Models are not run. Nothing is scored if test sets and submissions have more than `most_bytes` bytes.
    Intervals and replicates are checked only for the newest submissions, up to the limit `DRAWN`.
    """
    files = store.contents
    truths = {row["number"]: row["sha256"] for row in manifest["test_sets"] if row["sha256"] in files}
    sent = {row["id"]: row for row in manifest["submissions"] if not row["name"].lower().endswith(MODEL)}
    results = [
        row
        for row in (*manifest["scorings"], *manifest.get("shown", ()))
        if row["card"] and row["number"] in truths and row["submission_id"] in sent
    ]
    read = {truths[row["number"]] for row in results}
    total = sum(map(_unpacked_bytes, (files[digest] for digest in read)))
    total += sum(_unpacked_bytes(files[sent[row["submission_id"]]["sha256"]]) for row in results)
    if total > most_bytes:
        return
    boards = {row["number"]: opened(store, manifest["board"]["id"], row["number"]) for row in results}
    unspent = DRAWN * most_bytes
    for row in sorted(results, key=lambda row: sent[row["submission_id"]]["created"], reverse=True):
        submission, saved_card = sent[row["submission_id"]], serialization.card_from_bytes(files[row["card"]])
        where = f"{submission['name']} of {submission['team']}"
        resamples = saved_card.provenance["resamples"]
        unspent -= saved_card.n_cases * resamples
        try:
            of_file = (files[submission["sha256"]], submission["name"], submission["options"])
            result = boards[row["number"]].result(*of_file, resamples=resamples if unspent >= 0 else 0)
        except Exception as problem:  # whatever files of anybody can cause
            yield f"{where} cannot be scored ({type(problem).__name__})"
            continue
        card = result.shown if "problems" not in row else result.card
        if card is None:
            why = result.problems[0].code if result.problems else "the test set has no shown part"
            yield f"{where} has a scorecard, but cannot be scored with this test set ({why})"
        elif not same_values(
            {**card.metrics, "score": card.score}, {**saved_card.metrics, "score": saved_card.score}
        ):
            yield f"the scores of {where}, computed again, differ from its scorecard"
        elif unspent >= 0 and not same_replicates(card, saved_card):
            yield f"the intervals or replicates of {where}, computed again, differ from its scorecard"
        elif cases_digest(card) != cases_digest(saved_card):
            yield f"the cases of {where}, scored again, differ from its scorecard"
        elif unspent >= 0 and not same_details(card, saved_card):
            yield f"the details of {where}, computed again, differ from its scorecard"


def _unpacked_bytes(data: bytes) -> int:
    return sum(open_source(data, "bundle").sizes.values())
