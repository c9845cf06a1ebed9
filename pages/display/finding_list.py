"""Panel for a refused file with every problem and its fixes; and findings beside a score."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import cache

import streamlit as st

from scoring.challenges import challenge_ids, load_challenge
from scoring.common.findings import LEVELS, Finding, FindingGroup, InputRefused, distinct, grouped, tally
from scoring.common.fixes import SuggestedFix
from scoring.common.text import file_name, markdown
from scoring.core.options import Option

FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)(?:[ ]([a-z][a-z0-9-]*))?")
COMMON = {
    "id": "Address",
    "resamples": "number of resamples",
    "group": "unit of resampling",
    "metadata": "Metadata",
}
"""Options of every challenge -> their names on a page."""


BADGES = {"error": ("red", "✕"), "warning": ("orange", "▲"), "note": ("gray", "i")}
BY_HAND = "Fix the problems below and choose the file again. Your other files are still here."
BY_BUTTON = "Each button applies one fix without a new upload. Fix the other problems in the file itself."
NOT_SCORED = "This cannot be scored"
LISTED = 100
"""Maximum findings of a kind that are listed in full."""
Take = Callable[[SuggestedFix], None]
"""Function that applies a fix."""


def findings(entries: Iterable[Finding], take: Take | None = None) -> None:
    """Draw findings, grouped by level and code, worst first; closed unless there is an error. take: function
    that applies a fix; None: no fixes are offered."""
    entries = list(entries)
    refused = any(entry.level == "error" for entry in entries)
    with st.expander(f"**Findings**  {badges(entries) or ':green-badge[✓ none]'}", expanded=refused):
        if not entries:
            st.caption("No finding about these files.")
        drawn: set[SuggestedFix] = set()
        for number, fold in enumerate(grouped(entries)):
            new = [fix for fix in fold.fixes if fix.changes and fix not in drawn] if take else []
            drawn.update(new)
            _fold(fold, new, take, f"found_{number}")


def badges(entries: Iterable[Finding]) -> str:
    """Return the numbers of errors, warnings and notes as badges; "" if there are none."""
    entries = list(entries)
    counts = {level: tally(entry for entry in entries if entry.level == level) for level in LEVELS}
    return " ".join(_badge(level, count) for level, count in counts.items() if count)


def _badge(level: str, label: str) -> str:
    colour, sign = BADGES[level]
    return f":{colour}-badge[{sign} {label}]"


def _fold(
    fold: FindingGroup, fixes: Sequence[SuggestedFix] = (), take: Take | None = None, key: str = ""
) -> None:
    """Draw findings of a kind: what they say together, buttons that fix them, and all of them on demand."""
    badge_column, right = st.columns([2, 7], gap="small")
    badge_column.markdown(f"{_badge(fold.level, fold.level)} `{file_name(fold.code)}`")
    with right.container(gap="xsmall"):
        st.markdown(sentence(fold.where, fold.message))
        if take is not None:
            fix_buttons(fixes, take, key)
        if len(fold.entries) > 1:
            with st.popover(f"All {len(fold.entries):,}", type="tertiary", icon=":material/list:"):
                lines = [sentence(entry.where, entry.message) for entry in fold.entries[:LISTED]]
                more = len(fold.entries) - LISTED
                st.markdown("  \n".join([*lines, *([f":gray[and {more:,} more]"] * (more > 0))]))


def sentence(where: str, message: str) -> str:
    """Return a message after its location, unless it already begins with the case."""
    team, _, case = where.rpartition(": ")
    where = team if message.startswith(f"case {case} ") else where
    prefix = f"**{markdown(without_flags(where))}** " if where else ""
    return f"{prefix}{markdown(without_flags(message), 600)}"


def fix_buttons(fixes: Sequence[SuggestedFix], take: Take, key: str) -> None:
    """Draw a button for each fix. take: function that applies it. key: of the buttons, followed by a
    number."""
    if fixes:
        with st.container(horizontal=True, gap="small"):
            for number, fix in enumerate(fixes):
                st.button(
                    markdown(f"{fix.team}: {fix.label}" if fix.team else fix.label),
                    key=f"{key}_{number}",
                    icon=":material/build:",
                    on_click=take,
                    args=(fix,),
                )


def refusal(
    refused: InputRefused,
    take: Take | None = None,
    first: Sequence[SuggestedFix] = (),
    key: str = "fix",
    title: str = NOT_SCORED,
    message: str = "Nothing was changed.",
) -> None:
    """Draw every problem with its fixes, in place of a score.

    Args:
        take: Function that applies a fix; None: no fixes are offered.
        message: The consequence, if it is not about a score.
    """
    count = len(refused.problems)
    folds = grouped((*refused.problems, *refused.findings))
    offered = distinct((*first, *(fix for fold in folds for fix in fold.fixes))) if take else ()
    offered = tuple(fix for fix in offered if fix.changes)
    way = BY_BUTTON if offered else BY_HAND
    st.error(
        f"Nothing was scored. {way}" if title == NOT_SCORED else message,
        icon=":material/block:",
        title=f"{title}: {count:,} problem{'s' * (count != 1)}",
    )
    if take is not None:
        fix_buttons(first, take, f"{key}_all")
    drawn = {fix.changes for fix in first}
    with st.container(border=True, gap="small"):
        aside = []
        for number, fold in enumerate(folds):
            new = [fix for fix in fold.fixes if fix.changes and fix.changes not in drawn] if take else []
            drawn.update(fix.changes for fix in new)
            if fold.level == "error" or new:
                _fold(fold, new, take, f"{key}_{number}")
            else:
                aside.append(fold)
        st.caption(f"{tally((*refused.problems, *refused.findings))}.")
    if aside:
        with st.expander(f"Also noticed: {tally(entry for fold in aside for entry in fold.entries)}"):
            for fold in aside:
                _fold(fold)


def problems(refused: InputRefused, with_place: bool = False) -> None:
    """Draw the problems of an item that cannot be shown, one below the other."""
    for problem in refused.problems:
        where, message = f"{markdown(problem.where)}: " * with_place, problem.message
        message = message if where else f"{message[:1].upper()}{message[1:]}"
        st.error(f"{where}{markdown(message, 600)}", icon=":material/block:")


def cases_were_read(cases: Sized) -> str:
    """Return the number of cases of a test set as text: "1 case was read"."""
    return "1 case was read" if len(cases) == 1 else f"{len(cases):,} cases were read"


def without_flags(message: str) -> str:
    """Return a message with every flag replaced by the option's label: "Cases without a prediction: count as
    wrong" in quotation marks for `--missing wrong`."""
    return FLAG.sub(_label, message)


def _label(match: re.Match[str]) -> str:
    name, word = match[1].replace("-", "_"), match[2]
    option = _options().get(name)
    if option is None:
        label, values = COMMON.get(name, name.replace("_", " ")), {}
    else:
        label = option.label or name.replace("_", " ")
        values = {value: option.value_labels.get(value, value) for value in option.values}
    if word in values:
        return f"“{label}: {values[word]}”"
    return f"“{label}”" + (f" {word}" if word else "")


@cache
def _options() -> dict[str, Option]:
    """Return the options of all challenges by name, the first with a label of each."""
    return {option.name: option for option in reversed(list(_labelled()))}


def _labelled() -> Iterator[Option]:
    for challenge_id in challenge_ids():
        yield from (option for option in load_challenge(challenge_id).options if option.label)
