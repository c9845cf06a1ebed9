"""Compare teams: who leads, whether the lead is more than chance, and where teams differ."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

import scoring
from pages.challenge import class_names, scoring_run
from pages.comparison import scored_teams, teams
from pages.display import finding_list, layout
from pages.display.finding_list import cases_were_read
from pages.input_widgets import drop_messages, fix_buttons, selectors
from pages.server import access
from scoring.challenges import samples
from scoring.comparison import summary_text

access.guard(__file__)


def compare_teams() -> None:
    names = selectors.challenges_by_name(st.query_params.get("challenge"))
    with layout.opening_row("Compare teams"):
        challenge = scoring.load_challenge(names[_challenge_name(list(names))])
        formula = challenge.formula(teams.shared_before(challenge))
        line = f"**{formula}**, all teams on the same cases, {challenge.scoring.direction}"
        if order := challenge.comparison.order:
            line += f".{order}"
        layout.scored(f"{challenge.words.title}, {line}", summary_text.RULE)
    sets = samples.test_sets(challenge.id)
    with st.container(key="inputs"):
        truth_column, teams_column = st.columns(2)
    with truth_column:
        test_set, panel = selectors.test_set(
            sets, challenge.id, challenge.inputs.truth.words, challenge.inputs.truth.endings
        )
    of_board = teams.test_set_of(selectors.packs_of_teams(challenge.id), challenge)
    test_set, sample = of_board or test_set, sets.get(panel.sample, samples.NO_SAMPLE)
    if not test_set.key:
        st.info(selectors.NO_TEST_SET, icon=":material/upload_file:")
        layout.closing()
        return
    fix_buttons.lines(test_set)
    own_test_set, test_set = test_set, fix_buttons.fixed_truth(challenge, test_set)
    read = scoring_run.truth(challenge.id, test_set, fix_buttons.options_of(own_test_set))
    with teams_column:
        chosen, problems, options = teams.selected_teams(challenge, test_set, sample)
    drop_messages.line(challenge.id, compares=True)
    if isinstance(read, scoring_run.Running):
        panel.caption("The file is being read: see below.")
        scoring_run.running(read)
    elif read.refused:
        panel.caption("Refused: see below.")
        finding_list.refusal(
            read.refused, partial(fix_buttons.take, challenge.id, own_test_set), key="fix_set"
        )
        class_names.choose(challenge, own_test_set, "set")
    else:
        class_names.change(challenge, own_test_set, "set")
        cases = cases_were_read(read.value)
        panel.caption(f"{cases} from the test set of the dropped board." if of_board else f"{cases}.")
        metadata = None if test_set.own else sample.metadata
        scored_teams.show(challenge, test_set, metadata, read.value, chosen, problems, options)
    layout.closing()


def _challenge_name(names: Sequence[str]) -> str:
    return st.segmented_control(
        "Challenge",
        names,
        key="challenge",
        bind="query-params",
        required=True,
        default=names[0],
        persist_state="session",
        label_visibility="collapsed",
    )


compare_teams()
