"""Streamlit's settings are looked up once, and again where they change."""

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from pages.server import kept_settings

SECTIONS = ("theme", "theme.light", "theme.dark")


def theme() -> list[bytes]:
    """Return the theme as Streamlit sends it with every run."""
    found = []
    for section in SECTIONS:
        message = CustomThemeConfig()
        app_session._populate_theme_msg(message, section)
        found.append(message.SerializeToString(deterministic=True))
    return found


@pytest.fixture
def kept(monkeypatch):
    """Keep settings for this test only."""
    for module, name in ((config, "get_options_for_section"), (app_session, "to_snake_case")):
        monkeypatch.setattr(module, name, getattr(module, name))
    kept_settings._read.cache_clear()
    before = theme()
    kept_settings.keep()
    yield before
    kept_settings._read.cache_clear()


def test_the_theme_is_sent_as_before_and_read_once(kept):
    assert theme() == kept
    read = kept_settings._read.cache_info()
    assert (read.misses, theme()) == (len(SECTIONS), kept)
    assert kept_settings._read.cache_info().misses == len(SECTIONS)


def test_keeping_twice_is_keeping_once(kept):
    options = config.get_options_for_section
    kept_settings.keep()
    assert config.get_options_for_section is options


def test_settings_that_are_read_again_count(kept, monkeypatch, tmp_path):
    theme()
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text("[theme]\nbaseFontSize = 23\n")
    with monkeypatch.context() as there:
        there.chdir(tmp_path)
        config.get_config_options(force_reparse=True)
        assert config.get_options_for_section("theme")["baseFontSize"] == 23
    config.get_config_options(force_reparse=True)
    assert theme() == kept


def test_what_a_caller_changes_is_not_kept(kept):
    config.get_options_for_section("theme")["primaryColor"] = "red"
    assert config.get_options_for_section("theme")["primaryColor"] != "red"
