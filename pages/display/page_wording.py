"""Messages in the words of a page: options by the labels of their widgets, never as flags of the command
line."""

import re
from collections.abc import Iterator, Sized
from functools import cache

from scoring.challenges import challenge_ids, load_challenge
from scoring.core.options import Option

FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)(?:[ ]([a-z][a-z0-9-]*))?")
COMMON = {"resamples": "number of resamples", "group": "unit that is resampled", "metadata": "Metadata"}
"""Options of every challenge -> what a page calls them."""


def cases_were_read(cases: Sized) -> str:
    """Return how many cases a test set has: "1 case was read"."""
    return "1 case was read" if len(cases) == 1 else f"{len(cases)} cases were read"


def without_flags(message: str) -> str:
    """Return a message with every flag as the option's label: "Cases without a prediction: count as wrong"
    in quotation marks for `--missing wrong`."""
    return FLAG.sub(_label, message)


def _label(found: re.Match[str]) -> str:
    name, word = found[1].replace("-", "_"), found[2]
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
