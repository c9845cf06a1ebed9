"""Teams to compare: samples, those added from the challenges' pages, and those dropped here; scored beside the page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field
from types import ModuleType

import streamlit as st

import scoring
from pages.shared import inputs, jobs, scored
from pages.shared.inputs import Given
from pages.shared.scored import Outcome, Running, Runs
from scoring.models.pool import Cancelled
from scoring.readers import entries
from scoring.samples import TestSet

MOST = 100
"""Teams that one page compares."""
SESSION_CARDS, SHARED_CARDS = MOST + 28, MOST + 28
UNKNOWN_SIZE = "model_size_mib"


@dataclass(frozen=True)
class Team:
    """A submission by name. options: those of `score` that are this team's own."""

    name: str
    given: Given
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def key(self) -> tuple:
        return (self.name, self.given.key, self.given.name, scored.options(**self.options))


def offered(
    challenge: ModuleType, test_set: Given, sample: TestSet, single: Sequence[Given], packs: Sequence[Given]
) -> tuple[dict[str, Team], list]:
    """All teams that can be compared on this test set, by name: samples, those added on the challenge's page, those dropped; and what is wrong with
    the folders and zips. single: a team each; packs: with an entry per team."""
    teams: dict[str, Team] = {}
    if not test_set.own:
        for submission in sample.submissions.values():
            given = inputs.sample_submission(submission)
            _put(teams, submission.title, given, _own_options(challenge, given))
    for name, given, options in _added(challenge.ID, test_set.key):
        if given.own:
            _put(teams, name, given, options)
    problems = []
    for name, given in [*((_stem(given.name), given) for given in single), *_unpacked(challenge, packs, problems)]:
        _put(teams, name, given, _own_options(challenge, given))
    return teams, problems


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0] or name


def _unpacked(challenge: ModuleType, packs: Sequence[Given], problems: list) -> Iterator[tuple[str, Given]]:
    """Team and submission of every entry; adds to problems what is wrong with a pack."""
    for pack in packs:
        try:
            found, wrong = entries.of_teams(pack.source, pack.name, getattr(challenge, "STREAMED", ()))
        except scoring.InputRefused as refused:
            found, wrong = {}, refused.problems
        problems += wrong
        for team, entry in found.items():
            yield team, Given(f"{pack.key}/{team}", entry.name or team, entry.source, True, entry.is_model)


def _put(teams: dict[str, Team], name: str, given: Given, options: Mapping[str, object]) -> None:
    """Under its name, or the first free one: "Aurora", "Aurora 2"."""
    known = next(
        (team for team in teams.values() if team.given.key == given.key and team.options == options and team.name.startswith(name)), None
    )
    if known is None:
        names = (name, *(f"{name} {number}" for number in range(2, len(teams) + 3)))
        free = next(found for found in names if found not in teams)
        teams[free] = Team(free, given, options)


def _own_options(challenge: ModuleType, given: Given) -> dict[str, object]:
    names = [flag.removeprefix("--").replace("-", "_") for flag in getattr(challenge, "TEAM_ARGUMENTS", ())]
    return {UNKNOWN_SIZE: given.size_mib} if UNKNOWN_SIZE in names and not given.is_model else {}


def _added(challenge_id: str, truth_key: str) -> list[tuple[str, Given, Mapping]]:
    """What was added to the comparison on this test set: name, submission, the team's own options."""
    return [entry for key, *entry in st.session_state.get(f"_added_{challenge_id}", []) if key == truth_key]


def add(challenge: ModuleType, truth_key: str, name: str, given: Given, options: Mapping[str, object]) -> None:
    """Remember a submission for the comparison, in this session only. options: of `score`; those that are a team's own are kept."""
    own = {option: options[option] for option in _own_options(challenge, given) if option in options}
    entry = (truth_key, _stem(name), given, own)
    entries = st.session_state.setdefault(f"_added_{challenge.ID}", [])
    if not any(held[0] == truth_key and held[2].key == given.key and held[3] == own for held in entries):
        entries.append(entry)


def is_added(challenge_id: str, truth_key: str, given: Given) -> bool:
    return any(held.key == given.key for _, held, _ in _added(challenge_id, truth_key))


@st.cache_resource(max_entries=1)
def _shared_cards() -> Runs:
    """Scorecards of sample teams on sample test sets, for all sessions."""
    return Runs(SHARED_CARDS)


def _own_cards() -> Runs:
    """Scorecards of what was uploaded: they stay in the session that brought it."""
    return st.session_state.setdefault("_team_cards", Runs(SESSION_CARDS))


def cards(challenge: ModuleType, test_set: Given, metadata, truth, teams: Sequence[Team], shared: Mapping) -> dict[str, Outcome] | Running:
    """The scorecard, or the refusal, of every team; `Running` while they are read and scored. shared: options of `score` for all."""
    keys = {
        team.name: (challenge.ID, scoring.__version__, test_set.key, test_set.name, *team.key, *scored.options(**shared)) for team in teams
    }
    runs = {team.name: _own_cards() if test_set.own or team.given.own else _shared_cards() for team in teams}
    waiting = [team for team in teams if keys[team.name] not in runs[team.name].outcomes]
    if not waiting:
        return {name: runs[name].outcomes[key] for name, key in keys.items()}

    def work(job: jobs.Job) -> None:
        for done, team in enumerate(waiting):
            job.progress(done, len(waiting))
            if job.cancelled():
                raise Cancelled
            outcome = scored.attempt(_card, challenge, truth, team, {**shared, "metadata": metadata}, job)
            runs[team.name].keep(keys[team.name], outcome)

    key = (jobs.session_id(), "teams", *(keys[team.name] for team in waiting))
    job = jobs.queue().submit(key, work)
    if not job.stop.is_set():
        wait([job.future], scored.SHORT_SECONDS)
    if job.future.done() and job.future.exception() is None:
        jobs.queue().forget(key)
        return {name: runs[name].outcomes[key] for name, key in keys.items()}
    return Running(job, key, "teams")


def _card(challenge: ModuleType, truth, team: Team, shared: Mapping, job: jobs.Job) -> scoring.ScoreCard:
    options = {**dict.fromkeys(getattr(challenge, "NOT_COMPARED", ()), False), **shared, **team.options}
    given = team.given
    if given.is_model:
        predictions = challenge.predict(given.source, truth, name=given.name, cancelled=job.cancelled)
    else:
        reading = {name: options[name] for name in ("missing", *getattr(challenge, "READ_OPTIONS", ())) if name in options}
        if hasattr(challenge, "READING_COUNTS"):
            reading["cancelled"] = job.cancelled
        predictions = challenge.read_predictions(given.source, truth, given.name, **reading)
    return challenge.score(truth, predictions, **options)


@st.cache_resource(max_entries=32, scope="session", show_spinner=False)
def of_comparison(name: str, key: tuple, _work: Callable[[], object]) -> object:
    """What `_work` gives, computed once. name: of the work; key: of the comparison."""
    return _work()
