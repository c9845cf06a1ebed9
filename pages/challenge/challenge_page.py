"""Page of a challenge: selectors, findings, headline and tabs of the scorecard."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.challenge import (
    class_names,
    platform_bundle,
    scored_submission,
    scoring_run,
    second_submission,
    superseded_run,
)
from pages.challenge.notes import Notes, of_files
from pages.challenge.scored_submission import ResultPlace, ScoredSubmission
from pages.comparison import teams
from pages.display import downloads, finding_list, headline, layout
from pages.display.finding_list import cases_were_read
from pages.display.render import CaseLink
from pages.history import history_tab, keep_and_restore, kept_inputs
from pages.input_widgets import drop_messages, dropped_files, fix_buttons, import_preview, selectors
from pages.input_widgets.option_widgets import chosen_before
from pages.input_widgets.selectors import ChosenInput
from pages.server import deferred_widgets
from scoring.challenges import REGISTRY, samples
from scoring.challenges.samples import SampleSubmission
from scoring.common.text import markdown
from scoring.core import submitted_part
from scoring.core.challenge import Challenge
from scoring.core.scorecard import ScoreCard
from scoring.presentation import html
from scoring.presentation.paper import archive

TabBody = Callable[[ScoredSubmission], None]


@dataclass(frozen=True)
class Lines:
    """Lines of a challenge's page.

    Attributes:
        submission: Line about a submission, from its card.
    """

    truth: Callable[[Any], str]
    submission: Callable[[ScoreCard], str]
    closing: str = ""


@dataclass(frozen=True)
class ChallengePage:
    """A challenge's page. The challenge declares the accepted files and the shown parts of a scorecard.

    Attributes:
        table: The cases as a table, for download.
        tabs: Name -> function that draws the widgets below the section with this name; None: no widgets, and
            the tab appears only with the section; empty: all sections of the views.
        score_options: Options of `score` that come with the submission.
        choices: Function that draws further scoring choices from the given test set, its cases and the
            predictions, and returns options of `score`.
        refused: Function that draws additional text about a refused submission.
        tables: Additional downloads, name -> table of a card.
        below_headline: Function that draws the widgets of the score.
        viewer: The tab that opens when a case is clicked.
    """

    challenge: Challenge
    lines: Lines
    table: Callable[[ScoreCard], pd.DataFrame]
    tabs: Mapping[str, TabBody | None] = field(default_factory=dict)
    score_options: Callable[[ChosenInput], Mapping] = lambda _given: {}
    choices: Callable[[ChosenInput, Any, Any], Mapping] = lambda _test_set, _truth, _predictions: {}
    refused: Callable[[ChosenInput, ChosenInput], None] = lambda _test_set, _given: None
    tables: Mapping[str, Callable[[ScoreCard], pd.DataFrame]] = field(default_factory=dict)
    below_headline: TabBody | None = None
    viewer: CaseLink | None = None


@dataclass(frozen=True)
class Chosen:
    """A visitor's choices on a page."""

    test_set: ChosenInput
    submission: ChosenInput
    title: str
    others: Mapping[str, SampleSubmission]
    samples: tuple[str, str]


def show(page: ChallengePage) -> None:
    """Draw the page."""
    challenge, sets = page.challenge, samples.test_sets(page.challenge.id)
    texts, scored, kinds = challenge.words, challenge.scoring, challenge.inputs
    formula = challenge.formula({o.name: chosen_before(o) for o in challenge.options_of("score") if o.values})
    unit = "points of 100, " * scored.as_points
    line = f"**{formula}**, {unit}{scored.direction}"
    layout.opening(texts.title, line, texts.rule, challenge.id in REGISTRY)
    with st.container(key="inputs"):
        left_column, right_column = st.columns(2)
    with left_column:
        test_set, truth_panel = selectors.test_set(sets, challenge.id, kinds.truth.words, kinds.truth.endings)
    sample = sets.get(truth_panel.sample, samples.NO_SAMPLE)
    with right_column:
        submission, panel = selectors.submission(
            sample.submissions, challenge.id, kinds.submission.words, kinds.submission.several
        )
    drop_messages.go(challenge.id)
    with st.container(key="above"):
        drop_messages.questions(challenge.id)
        keep_and_restore.lacks(challenge.id)
    result = ResultPlace(partial(of_files, challenge, test_set, submission))
    if test_set.key:
        keys = (truth_panel.sample, panel.sample)
        _read(page, ChosenInputs(test_set, submission, keys, result), sample)
    else:
        result.instead().info(selectors.NO_TEST_SET, icon=":material/upload_file:")
    with result.drawn:
        deferred_widgets.rest()  # where there is no score
        layout.closing("Files are deleted when your session ends, unless you save them.")


@dataclass(frozen=True)
class ChosenInputs:
    """The choices at both inputs of a page. samples: keys of the samples there. result: where what comes of
    them is drawn."""

    test_set: ChosenInput
    submission: ChosenInput
    samples: tuple[str, str]
    result: ResultPlace


def _read(page: ChallengePage, inputs: ChosenInputs, sample: samples.SampleTestSet) -> None:
    """Read the test set, and score the submission."""
    challenge, test_set, submission = page.challenge, inputs.test_set, inputs.submission
    truth = scoring_run.truth(
        challenge.id, fix_buttons.fixed_truth(challenge, test_set), fix_buttons.options_of(test_set)
    )
    if isinstance(truth, scoring_run.Running) or truth.refused:
        with inputs.result.instead():
            _no_test_set(challenge, truth, test_set)
    else:
        waits = test_set.own and not submission.own and not submission.is_model
        if waits or not submission.key:
            message = (
                f"{cases_were_read(truth.value)}: {page.lines.truth(truth.value)}. Now choose a submission."
            )
            if waits:
                models = any(offer.is_model for offer in sample.submissions.values())
                message += (
                    " The sample teams belong to the sample test set: drop your own submission"
                    f"{', or choose a sample model' * models}."
                )
            with inputs.result.instead():
                class_names.change(challenge, test_set, "set")
                finding_list.findings(truth.value.findings)
                st.info(message, icon=":material/upload_file:")
        else:
            offered = sample.submissions
            title = submission.name if submission.own else offered[inputs.samples[1]].title
            others = {
                name: sample_team
                for name, sample_team in offered.items()
                if (sample_team.is_model or not test_set.own)
                and (submission.own or name != inputs.samples[1])
            }
            chosen = Chosen(test_set, submission, title, others, inputs.samples)
            _submitted(page, chosen, truth.value, inputs.result)


def _no_test_set(challenge, outcome, test_set: ChosenInput) -> None:
    """Say that the test set is being read, or why it was refused."""
    if isinstance(outcome, scoring_run.Running):
        scoring_run.running(outcome)
        return
    if dropped_files.asks():
        return
    finding_list.refusal(outcome.refused, partial(fix_buttons.take, challenge.id, test_set), key="fix_set")
    class_names.choose(challenge, test_set, "set")


def _submitted(page: ChallengePage, chosen: Chosen, truth, result: ResultPlace) -> None:
    """Read or run the submission, then show its card. While it runs, and after the run was stopped, nothing
    is shown: another submission's score would appear under this one's name."""
    challenge_id, dropped = page.challenge.id, chosen.submission
    test_set = fix_buttons.fixed_truth(page.challenge, chosen.test_set)
    submission = fix_buttons.fixed_input(dropped)
    options = {**page.score_options(submission), **fix_buttons.options_of(dropped)}
    superseded_run.begin(challenge_id, test_set, submission)
    outcome = scoring_run.predictions(challenge_id, test_set.key, submission, truth, options)
    if fix_buttons.changes_of(dropped).submitted_only and not isinstance(outcome, scoring_run.Running):
        truth = submitted_part.part_of(truth, outcome.refused or outcome.value, submission.name)
        test_set = replace(test_set, key=f"{test_set.key} {submission.key}")
        outcome = scoring_run.predictions(challenge_id, test_set.key, submission, truth, options)
    if isinstance(outcome, scoring_run.Running):
        superseded_run.remember(challenge_id, test_set, submission, outcome)
        with result.instead():
            scoring_run.running(outcome)
    elif outcome.refused:
        with result.instead():
            _refused(page, chosen, truth, outcome.refused)
    else:
        with result.score():
            _scored(page, chosen, (test_set, submission), (truth, outcome.value, options), result)


def _scored(
    page: ChallengePage,
    chosen: Chosen,
    used: tuple[ChosenInput, ChosenInput],
    read: tuple[Any, Any, Mapping],
    result: ResultPlace,
) -> None:
    """Score what was read, and show the card.

    Args:
        used: The inputs as they were read, with their fixes.
        read: Cases, predictions, and the options of `score` that the submission brings.
    """
    (test_set, submission), (truth, predictions, options) = used, read
    challenge, bar = page.challenge, headline.place(chosen.title)
    with layout.choices("Settings and comparison"):
        choices = page.choices(test_set, truth, predictions)
        kept = kept_inputs.runs(challenge, truth, chosen.submission)
        several = challenge.inputs.submission.several
        opponent, its_title = selectors.second(chosen.others, challenge.id, several, kept)
    options = {**options, **choices}
    score = partial(
        scoring_run.card, challenge.id, test_set, submission, truth=truth, predictions=predictions
    )
    basis = (test_set.key, submission.key, repr(options))
    with scored_submission.at_once(bar, score, options, len(getattr(truth, "ids", ())), basis):
        outcome = score(chosen=options)
    card = result.card()
    if outcome.refused:
        with card.instead():
            _refused(page, chosen, truth, outcome.refused)
        return
    scored = ScoredSubmission(
        submission.name,
        outcome.value,
        truth,
        predictions,
        submission,
        test_set.key,
        submission.own or test_set.own,
        chosen.title,
        not test_set.own,
        f"Test set: {page.lines.truth(truth)}. Submission: {_about(page, chosen, outcome.value)}",
    )
    offer = keep_and_restore.HistoryContext(
        challenge, chosen.test_set, chosen.submission, chosen.samples, scored
    )
    compare = None
    if opponent:
        whole = replace(chosen, test_set=test_set)
        compare = partial(_second, page, whole, scored, opponent, its_title, choices)
    with card.score():
        _result(page, offer, bar, compare)


def _about(page: ChallengePage, chosen: Chosen, card: ScoreCard) -> str:
    """Return the text about a submission: for a sample, its description."""
    if chosen.submission.own:
        return page.lines.submission(card)
    offered = samples.test_sets(page.challenge.id).get(chosen.samples[0], samples.NO_SAMPLE).submissions
    return markdown(offered[chosen.samples[1]].about)


def _refused(page: ChallengePage, chosen: Chosen, truth, refused) -> None:
    """Say why a submission was refused, and offer its fixes."""
    test_set, dropped = fix_buttons.fixed_truth(page.challenge, chosen.test_set), chosen.submission
    if dropped_files.asks():
        return
    import_preview.draw(page.challenge, dropped, refused, (test_set.key, truth))
    codes = {problem.code for problem in refused.problems}
    other = fix_buttons.other_test_set(page.challenge.id, test_set, dropped, codes)
    if codes & fix_buttons.OF_ANOTHER_SET:
        kept_inputs.offer_test_set(page.challenge, dropped)
    finding_list.refusal(refused, partial(fix_buttons.take, page.challenge.id, dropped), other)
    class_names.choose(page.challenge, dropped)
    page.refused(test_set, fix_buttons.fixed_input(dropped))


def _second(
    page: ChallengePage,
    chosen: Chosen,
    scored: ScoredSubmission,
    other: ChosenInput,
    title: str,
    choices: Mapping,
) -> second_submission.Second | None:
    """Compare a second submission, scored with the same options except those of each submission."""
    options = {
        **page.score_options(fix_buttons.fixed_input(other)),
        **fix_buttons.options_of(other),
        **choices,
    }
    return second_submission.compared(scored, chosen.test_set, other, title, options)


def _result(
    page: ChallengePage,
    offer: keep_and_restore.HistoryContext,
    bar: DeltaGenerator,
    compare: Callable[[], second_submission.Second | None] | None,
) -> None:
    """Headline, findings, tabs, downloads of one card. The parts of the score begin the first tab; the
    comparison with a second submission is the last."""
    scored, card = offer.scored, offer.scored.card
    scored_submission.headline(scored, bar)
    compared = compare() if compare else None
    notes = Notes(offer, page.viewer, page.below_headline, compared)
    sections = scored_submission.section_names(scored)
    tabs = page.tabs or dict.fromkeys(sections)
    bodies: dict[str, TabBody] = {
        name: partial(_tab, name, live, page.viewer)
        for name, live in tabs.items()
        if live is not None or name in sections
    }
    first = next(iter(bodies))
    bodies[first] = partial(_first_tab, bodies[first], page.viewer)
    if compared:
        bodies[second_submission.TAB] = compared.tab
    bodies[history_tab.TAB] = partial(history_tab.tab, offer)
    layout.tabs({name: notes.beside(name, body) for name, body in bodies.items()}, scored)
    deferred_widgets.rest()  # where the open tab is not the first
    scored_submission.findings(scored)
    st.caption("  \n".join(filter(None, (scored_submission.worth(scored), scored.about))))
    with st.container(key="take_home", horizontal=True, gap="small"):
        stem = f"{card.challenge}-{scored.name.rsplit('.', 1)[0]}"
        downloads.button("scorecard.json", card.to_json, f"{stem}-scorecard.json", "download_json")
        lines = (("Submission", scored.name), ("Date", downloads.today()))
        report, paper = partial(html.html, card, lines=lines), partial(archive.of_card, card, lines)
        downloads.report_buttons(report, paper, stem)
        for name, table in {"cases": page.table, **page.tables}.items():
            label, content = f"{name.capitalize()} (CSV)", partial(table, card)
            downloads.csv_button(content, f"{stem}-{name}", f"download_{name}", label, index=False)
        if scored.submission.is_model:
            scored_submission.predictions_button(page.challenge, scored, stem)
        platform_bundle.button(offer)
        _comparison_button(page, scored)
        history_tab.button(offer)
    history_tab.refused()
    st.caption(page.lines.closing)


def _first_tab(body: TabBody, viewer: CaseLink | None, scored: ScoredSubmission) -> None:
    scored_submission.score_breakdown(scored, viewer)
    deferred_widgets.rest()
    body(scored)


def _tab(name: str, live: TabBody | None, viewer: CaseLink | None, scored: ScoredSubmission) -> None:
    """The section of that name, and the widgets below it."""
    scored_submission.section(scored, name, viewer)
    if live is not None:
        live(scored)


def _comparison_button(page: ChallengePage, scored: ScoredSubmission) -> None:
    """The shown submission can join the teams of the comparison; then a link leads there."""
    if teams.is_added(page.challenge.id, scored):
        address = {"challenge": selectors.challenge_name(page.challenge.id)}
        st.page_link(
            "../compare_teams.py", label="Compare teams", icon=":material/leaderboard:", query_params=address
        )
    else:
        st.button(
            "Add to comparison",
            key="add_to_comparison",
            type="tertiary",
            icon=":material/group_add:",
            on_click=teams.add,
            args=(page.challenge, scored),
        )
