"""Streamlit's settings, looked up once.

Streamlit sends its whole theme with every run, also of a fragment, and works it out anew each time: 0.8 ms
of processor time, of some 20 that a move of a slider costs.
"""

from functools import cache
from typing import Any

from streamlit import config
from streamlit.runtime import app_session
from streamlit.string_util import to_snake_case

_read = cache(config.get_options_for_section)


def keep() -> None:
    """Keep the options of each section, and their names as messages spell them, until the settings are read
    again. The second call does nothing."""
    if config.get_options_for_section is _options:
        return
    config.get_options_for_section = _options
    app_session.to_snake_case = cache(to_snake_case)  # type: ignore[attr-defined]
    config.on_config_parsed(_read.cache_clear, force_connect=True)


def _options(section: str) -> dict[str, Any]:
    return dict(_read(section))
