"""The store of this server, the permission to change it, and all actions that change it.

All changes of a store by a page go through `attempt` or `long`, so that one place checks the permission.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome
from pages.display import finding_list
from pages.display.render import BlockPath
from pages.server import access, background_jobs, request_guard
from scoring.access.roles import Role
from scoring.boards.board import OpenBoard
from scoring.boards.ranking.board_ranking import BoardRanking
from scoring.common.findings import InputRefused, error
from scoring.core.views import Section
from scoring.inference.model_pool import Cancelled


def may_organize() -> bool:
    """Return whether this visitor may create and change boards: organizers if the server has logins;
    otherwise everybody on this machine, and nobody from outside. Other people see only public boards."""
    return access.allowed(Role.ORGANIZER) and (access.is_configured() or not request_guard.is_public())


def store() -> Outcome:
    """Return the store of this server for this visitor, or why it cannot be opened."""
    return scoring_run.attempt(access.store)


def attempt(work: Callable[..., Any], *arguments: Any) -> Outcome:
    """Run an action on a board if this visitor may; return a refusal as a value."""
    return scoring_run.attempt(_permitted, work, *arguments)


def _permitted(work: Callable[..., Any], *arguments: Any) -> Any:
    if not may_organize():
        raise InputRefused(
            [error("not-allowed", "board", "only the organizer of this board may do this: log in first.")]
        )
    return work(*arguments)


def done(outcome: Outcome, title: str = "The change was not made") -> None:
    """Show the current board, or the reason why it was not changed. title: the failed action."""
    if outcome.refused:
        finding_list.refusal(outcome.refused, title=title)
    else:
        st.rerun()


def do(work: Callable[..., Any], *arguments: Any) -> None:
    """Run an action on a board if this visitor may, and show the new state, or the reason why it was not
    changed."""
    done(attempt(work, *arguments))


def long(key: tuple, work: Callable[[background_jobs.Job], Any], least: Role = Role.ORGANIZER) -> None:
    """Start work on a board in the background if this visitor may. key: of the work in this session."""
    if access.allowed(least) and (least < Role.ORGANIZER or may_organize()):
        whole = (background_jobs.session_id(), "board", *key)
        background_jobs.queue().forget(whole)
        st.session_state[_place(key)] = background_jobs.queue().submit(
            whole, lambda job: scoring_run.attempt(work, job)
        )


def outcome(key: tuple, counts: str) -> Outcome | None:
    """Return the result of work that `long` started, once: `Outcome()` if it was cancelled; None before it
    started. While it runs, its progress is drawn and nothing below it."""
    job = st.session_state.get(_place(key))
    if job is None:
        return None
    if not job.future.done():
        background_jobs.watch(job, (background_jobs.session_id(), "board", *key), counts)
        st.stop()
    del st.session_state[_place(key)]
    problem = job.future.exception()
    if problem is None:
        return job.future.result()
    if isinstance(problem, Cancelled):
        return Outcome()
    raise problem


def progress(job: background_jobs.Job) -> Callable[[int, int], None]:
    """Return a callback for the progress of a job, which ends it if it was cancelled."""

    def count(done: int, total: int) -> None:
        job.progress(done, total)
        if job.cancelled():
            raise Cancelled

    return count


def _place(key: tuple) -> str:
    return f"_board_job_{'/'.join(key)}"


@dataclass(frozen=True)
class BoardPage:
    """A board on the page. sections: the public sections; key: identifies everything that the page depends
    on."""

    ranking: BoardRanking
    sections: tuple[Section, ...]
    key: tuple[str, ...]

    @property
    def board(self) -> OpenBoard:
        """Return the board."""
        return self.ranking.board

    def path(self, path: str) -> BlockPath:
        """Return the path of a block that is drawn once per content."""
        return BlockPath(self.key, False, f"board/{path}")
