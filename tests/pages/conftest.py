import pytest
from streamlit.testing.v1 import AppTest

from tests.support.command_line import ROOT

NAVIGATION = str(ROOT / "pages" / "shared" / "navigation.py")


@pytest.fixture
def opened():
    """Opens a page by its file name, after the navigation has run, with parameters of the address."""

    def open_page(name: str, **address: str) -> AppTest:
        app = AppTest.from_file(NAVIGATION, default_timeout=120).run()
        for key, value in address.items():
            app.query_params[key] = value
        return app.switch_page(f"../{name}.py").run()

    return open_page
