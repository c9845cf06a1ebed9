"""Teams to compare: samples, teams added on challenge pages, and teams dropped here; their choice, and their
scoring in the background."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

import scoring
from pages.challenge import scoring_run
from pages.challenge.scoring_run import FinishedRuns, Outcome, Running
from pages.input_widgets import selectors
from pages.input_widgets.option_widgets import chosen_before, option_widget
from pages.input_widgets.selectors import ChosenInput
from pages.input_widgets.upload_widget import MODEL
from pages.server import background_jobs, memory_budget
from scoring.boards.bundles import bundle
from scoring.challenges.recognition import recognise
from scoring.challenges.samples import SampleTestSet
from scoring.common.findings import Finding, error
from scoring.common.text import markdown
from scoring.core.challenge import Challenge
from scoring.inference.model_pool import Cancelled
from scoring.inputs import team_entries

MOST = 100
"""Maximum teams on one page."""
SESSION_CARDS, SHARED_CARDS = MOST + 28, MOST + 28


@dataclass(frozen=True)
class ComparedTeam:
    """A submission by name. options: its own options of `score`. joins: whether it is compared from the
    start."""

    name: str
    submission: ChosenInput
    options: Mapping[str, object] = field(default_factory=dict)
    joins: bool = True

    @property
    def key(self) -> tuple:
        return (self.name, self.submission.key, self.submission.name, scoring_run.options(**self.options))


def offered_teams(
    challenge: Challenge,
    test_set: ChosenInput,
    sample: SampleTestSet,
    single: Sequence[ChosenInput],
    packs: Sequence[ChosenInput],
) -> tuple[dict[str, ComparedTeam], list[Finding]]:
    """Return all teams that can be compared on this test set, by name (samples, those added on the
    challenge's page, and dropped ones), and the problems of folders and zips. single: files with one team
    each; packs: folders or zips with an entry per team."""
    teams: dict[str, ComparedTeam] = {}
    if not test_set.own:
        for submission in sample.submissions.values():
            file = selectors.sample_submission(submission)
            _put(teams, ComparedTeam(submission.title, file, file.options, not file.is_model))
    for added in _added(challenge.id):
        if added.truth_key == test_set.key:
            _put(teams, added.team)
    problems: list[Finding] = []
    for name, file in [
        *((_stem(file.name), file) for file in single),
        *_unpacked(challenge, packs, problems),
    ]:
        _put(teams, ComparedTeam(name, file, file.options))
    return teams, problems


def _stem(name: str) -> str:
    return team_entries.clean_name(name.rsplit(".", 1)[0] or name)


def _unpacked(
    challenge: Challenge, packs: Sequence[ChosenInput], problems: list[Finding]
) -> Iterator[tuple[str, ChosenInput]]:
    """Team and submission of every entry; adds the problems of a pack."""
    for pack in packs:
        if _is_board(pack):
            yield from _of_board(challenge, pack, problems)
            continue
        try:
            entries, wrong = team_entries.of_teams(pack.source, pack.name, challenge.inputs.streamed)
        except scoring.InputRefused as refused:
            entries, wrong = {}, list(refused.problems)
        problems += wrong
        for team, entry in entries.items():
            yield (
                team,
                ChosenInput(f"{pack.key}/{team}", entry.name or team, entry.source, True, entry.is_model),
            )


def _is_board(pack: ChosenInput) -> bool:
    """Return whether a dropped zip is an exported board."""
    readings = recognise({pack.name: pack.source})[0].readings if isinstance(pack.source, bytes) else ()
    return bool(readings) and readings[0].place == "board"


def _of_board(
    challenge: Challenge, pack: ChosenInput, problems: list[Finding]
) -> Iterator[tuple[str, ChosenInput]]:
    """Team and file of every submission that counts on an exported board."""
    outcome = board(pack)
    if outcome.refused:
        problems += outcome.refused.problems
        return
    if outcome.value.challenge != challenge.id:
        title = scoring.load_challenge(outcome.value.challenge).words.title
        message = f"this is a board of {title}: choose that challenge above."
        problems.append(error("other-challenge", pack.name, message))
        return
    for team, (name, data, options) in outcome.value.teams.items():
        is_model = name.lower().endswith(MODEL)
        yield team, ChosenInput(f"{pack.key}/{team}", name, data, True, is_model, options)


def test_set_of(packs: Sequence[ChosenInput], challenge: Challenge) -> ChosenInput | None:
    """Return the test set of a dropped board; None without a board, or if it has no test set."""
    for pack in packs:
        opened = board(pack).value if _is_board(pack) else None
        if opened is not None and opened.truth is not None and opened.challenge == challenge.id:
            name, data = opened.truth
            return ChosenInput(f"{pack.key}/truth", name, data, True)
    return None


def board(pack: ChosenInput) -> Outcome:
    """Return the ranked submissions of an exported board, read once."""
    outcome: Outcome = memory_budget.bound_own(_board, key=pack.key, _pack=pack)
    return outcome


@st.cache_resource(max_entries=2, scope="session", show_spinner="Reading the board ...")
def _board(key: str, _pack: ChosenInput) -> Outcome:
    return scoring_run.attempt(bundle.counted, _pack.source)


def _put(teams: dict[str, ComparedTeam], team: ComparedTeam) -> None:
    """Under its name, or the first free one: "Aurora", "Aurora 2". The very same file joins once; equal files
    of other names are other teams."""
    for name, known in teams.items():
        if (known.submission.key, known.submission.name, dict(known.options)) == (
            team.submission.key,
            team.submission.name,
            dict(team.options),
        ):
            teams[name] = replace(known, joins=known.joins or team.joins)
            return
    free = next(
        name
        for name in (team.name, *(f"{team.name} {number}" for number in range(2, len(teams) + 3)))
        if name not in teams
    )
    teams[free] = replace(team, name=free)


@dataclass(frozen=True)
class Added:
    """A submission added to the comparison on a challenge's page. truth_key: of the test set that it was
    scored on."""

    truth_key: str
    team: ComparedTeam


def _added(challenge_id: str) -> list[Added]:
    """Return the submissions that were added in this session, oldest first."""
    return st.session_state.setdefault(f"_added_{challenge_id}", [])


def add(challenge: Challenge, entry) -> None:
    """Remember the submission on a challenge's page for the comparison, in this session only."""
    options = (
        {o.name: entry.card.provenance["options"].get(o.name) for o in challenge.options if o.per_team}
        if not entry.submission.is_model
        else {}
    )
    _added(challenge.id).append(
        Added(entry.truth_key, ComparedTeam(_stem(entry.name), entry.submission, options))
    )


def is_added(challenge_id: str, entry) -> bool:
    """Return whether the submission on a challenge's page was already added."""
    return any(
        (added.truth_key, added.team.submission.key) == (entry.truth_key, entry.submission.key)
        for added in _added(challenge_id)
    )


@st.cache_resource(max_entries=1)
def _shared_cards() -> FinishedRuns:
    """Scorecards of sample teams on sample test sets, for all sessions."""
    return FinishedRuns(SHARED_CARDS)


def _own_cards() -> FinishedRuns:
    """Scorecards of uploaded files: they stay in the session of the upload."""
    return st.session_state.setdefault("_team_cards", FinishedRuns(SESSION_CARDS))


def cards(
    challenge: Challenge,
    test_set: ChosenInput,
    metadata,
    truth,
    teams: Sequence[ComparedTeam],
    shared: Mapping,
) -> dict[str, Outcome] | Running:
    """Return the scorecard or the refusal of every team; `Running` while they are read and scored. shared:
    options of `score` for all."""
    start = (challenge.id, scoring.__version__, test_set.key, test_set.name)
    keys = {team.name: (*start, *team.key, *scoring_run.options(**shared)) for team in teams}
    own, all_own = {team.name for team in teams if team.submission.own}, test_set.own
    runs = {name: _own_cards() if all_own or name in own else _shared_cards() for name in keys}
    waiting = [team for team in teams if keys[team.name] not in runs[team.name].outcomes]
    if not waiting:
        return {name: runs[name].outcomes[key] for name, key in keys.items()}

    def work(job: background_jobs.Job) -> None:
        for done, team in enumerate(waiting):
            job.progress(done, len(waiting))
            if job.cancelled():
                raise Cancelled
            options = {**shared, "metadata": metadata}
            outcome = scoring_run.attempt(_card, challenge, truth, team, options, job)
            runs[team.name].keep(keys[team.name], outcome)

    key = (background_jobs.session_id(), "teams", *(keys[team.name] for team in waiting))
    going_on = scoring_run.submitted(key, work, "teams", scoring_run.SHORT_SECONDS)
    return going_on or {name: runs[name].outcomes[key] for name, key in keys.items()}


def _card(
    challenge: Challenge, truth, team: ComparedTeam, shared: Mapping, job: background_jobs.Job
) -> scoring.ScoreCard:
    options = {"with_curves": False, **shared, **team.options}
    file = team.submission
    if file.is_model:
        predictions = challenge.predict(file.source, truth, name=file.name, cancelled=job.cancelled)
    else:
        needed = challenge.needed("predictions", options)
        predictions = challenge.read_predictions(
            file.source, truth, file.name, cancelled=job.cancelled, **needed
        )
    return challenge.score(truth, predictions, **options)


@st.cache_resource(max_entries=64, scope="session", show_spinner=False)
def of_comparison(key: str, _work: Callable[[], Any]) -> Any:
    """Return the result of `_work`, computed once. key: of the work and of the comparison."""
    return _work()


NAMED = 6
"""Number of teams named before "and N more"."""


def selected_teams(
    challenge: Challenge, test_set: ChosenInput, sample: SampleTestSet
) -> tuple[list[ComparedTeam], list, dict]:
    """Return the chosen teams, the problems of dropped folders, and the options of all teams."""
    with st.container(key="teams_panel", gap="xsmall"):
        row = st.container(key="teams_row", horizontal=True, vertical_alignment="center", gap="small")
        with row:
            named, popover = st.container(), st.popover("Choose", icon=":material/groups:")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            single, packs, in_use = selectors.teams(challenge.id, elsewhere=True)
            if in_use.names:
                st.button(
                    "Do not use my files",
                    key=f"{challenge.id}_teams_back",
                    type="tertiary",
                    icon=":material/undo:",
                    on_click=in_use.forget,
                )
        offered, problems = offered_teams(challenge, test_set, sample, single, packs)
        with popover:
            chosen = _chosen_teams(challenge.id, test_set.key, offered)
            shared = _shared_option(challenge)
        listed = ", ".join(markdown(name, 30) for name in chosen[:NAMED])
        more = f" and {len(chosen) - NAMED} more" * (len(chosen) > NAMED)
        named.markdown(f"Teams **{listed or 'none'}**{more}")
    return [offered[name] for name in chosen], problems, shared


def _shared_option(challenge: Challenge) -> dict:
    """Draw the option that comparisons offer for all teams, where the challenge has one."""
    if not challenge.comparison.offered:
        return {}
    option = challenge.option(challenge.comparison.offered)
    return {option.name: option_widget(option, f"compared_{option.name}", help=None, persist_state="session")}


def shared_before(challenge: Challenge) -> dict:
    """Return the options of all teams before their widgets are drawn."""
    offered = challenge.comparison.offered
    return {offered: chosen_before(challenge.option(offered), f"compared_{offered}")} if offered else {}


def _chosen_teams(challenge_id: str, truth_key: str, offered: Mapping[str, ComparedTeam]) -> list[str]:
    """Return the teams to compare: those of the address, or else all prediction files; files dropped later
    are added."""
    key, known = f"{challenge_id}_compared", f"{challenge_id}_known"
    before = st.session_state.get(known)
    if before is None or before[0] != truth_key or key not in st.session_state:
        named = [name for name in st.query_params.get_all("teams") if name in offered]
        held = named or [name for name, team in offered.items() if team.joins]
    else:
        held = [name for name in st.session_state[key] if name in offered]
        held += [
            name
            for name, team in offered.items()
            if team.joins and name not in before[1] and name not in held
        ]
    st.session_state[known] = (truth_key, frozenset(name for name, team in offered.items() if team.joins))
    st.session_state[key] = held[:MOST]

    def to_address() -> None:
        st.query_params["teams"] = st.session_state[key]

    return st.pills(
        "Teams to compare",
        list(offered),
        selection_mode="multi",
        format_func=lambda name: markdown(name, 60),
        key=key,
        on_change=to_address,
        persist_state="session",
    )
