"""Import preview: the first rows of a refused table, the choice of its columns, and the resulting score."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from pages.input_widgets import fix_buttons
from pages.input_widgets.selectors import ChosenInput
from scoring.common.findings import InputRefused
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.common.text import markdown
from scoring.core.challenge import Challenge
from scoring.core.fix_trials import score_words
from scoring.core.import_preview import OF_COLUMNS, ImportPreview, chosen, preview, score_of

KEY = "import_choices"
"""Session key of the visitor's choices: challenge and header of a table -> the chosen fix."""
SEEN = "import_seen"
"""Session key of the files whose columns were already examined."""


def draw(
    challenge: Challenge, dropped: ChosenInput, refused: InputRefused, test_set: tuple[str, Any]
) -> None:
    """Draw the preview of a table that was refused because of its columns; draw nothing for others. An
    earlier choice for a table with the same columns is applied at once.

    Args:
        dropped: The submission, as dropped.
    """
    form = challenge.readers.form
    named = any(problem.code in OF_COLUMNS for problem in refused.problems)
    if form is None or not named or not dropped.own or dropped.is_model:
        return
    truth = test_set[1]
    table = _preview(challenge.id, (dropped.key, test_set[0]), dropped, form(truth), truth)
    if table is None:
        return
    known: Mapping[tuple, SuggestedFix] = st.session_state.setdefault(KEY, {})
    chosen_before = known.get((challenge.id, table.header))
    seen: set[str] = st.session_state.setdefault(SEEN, set())
    if chosen_before is not None and dropped.key not in seen:
        seen.add(dropped.key)
        fix_buttons.take(challenge.id, dropped, chosen_before)
        st.rerun()
    with st.container(border=True, gap="small"):
        st.header("What does each column contain?", anchor=False)
        st.caption(f"{markdown(dropped.name, 60)}: {table.marks}; the numbers look like {table.scale}.")
        rows = pd.DataFrame(table.rows, columns=pd.Index(_distinct(table.header)))
        st.dataframe(rows, hide_index=True, height="content")
        _choices(challenge, dropped, table, test_set)


def _choices(
    challenge: Challenge, dropped: ChosenInput, table: ImportPreview, test_set: tuple[str, Any]
) -> None:
    """Draw a choice for each needed column, and the button that reads the table so, with its score."""
    options = list(dict.fromkeys(header for header in table.header if header))
    wanted = {table.form.case: table.guess.case, **table.guess.columns}
    picked: dict[str, str | None] = {}
    with st.grid(min_column_width=200, gap="small"):
        for number, (name, guessed) in enumerate(wanted.items()):
            picked[name] = st.selectbox(
                "Case" if number == 0 else markdown(name, 60),
                options,
                index=options.index(guessed) if guessed in options else None,
                format_func=lambda header: header[:60],
                placeholder="Choose a column",
                key=f"import_{dropped.key[:16]}_{number}",
            )
    case = picked.pop(table.form.case)
    fix = chosen(table, case, picked)
    if fix is None:
        st.caption("Choose a different column for each item.")
        return
    if table.guess.in_order:
        st.caption("Numbered columns are read in the order of the challenge's classes.")
    score = _score(challenge.id, (dropped.key, test_set[0]), fix.changes, challenge, dropped, test_set[1])
    score_text = "" if score is None else f": {score_words(challenge, score)}"
    st.button(
        f"Read the file this way{score_text}",
        type="primary",
        key=f"import_take_{dropped.key[:16]}",
        icon=":material/build:",
        on_click=_take,
        args=(challenge.id, dropped, table.header, fix),
    )


def _take(challenge_id: str, dropped: ChosenInput, header: tuple[str, ...], fix: SuggestedFix) -> None:
    st.session_state[KEY][challenge_id, header] = fix
    st.session_state[SEEN].add(dropped.key)
    fix_buttons.take(challenge_id, dropped, fix)


def _distinct(header: tuple[str, ...]) -> list[str]:
    """Return headings that all differ."""
    return [name if header.index(name) == i else f"{name} ({i + 1})" for i, name in enumerate(header)]


@st.cache_resource(max_entries=4, scope="session", show_spinner=False)
def _preview(challenge_id: str, key: tuple[str, str], _dropped: ChosenInput, _form: Any, _truth: Any):
    return preview(_dropped.source, _form, _truth, _dropped.name)


@st.cache_resource(max_entries=16, scope="session", show_spinner="Reading the file with this choice ...")
def _score(
    challenge_id: str,
    key: tuple[str, str],
    changes: InputChanges,
    _challenge: Challenge,
    _dropped: ChosenInput,
    _truth: Any,
) -> float | None:
    return score_of(_challenge, _dropped.source, changes, _truth, _dropped.name)
