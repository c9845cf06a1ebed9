import io

import pandas as pd
import pytest
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.testing.v1 import AppTest

from pages.display import downloads

FORMULAS = pd.DataFrame(
    {"=team": ["@a", "b"], "score": [-0.5, 0.25]}, index=pd.Index(["+x", "y"], name="-case")
)


def offers():
    import pandas as pd

    from pages.display import downloads

    downloads.csv_button(pd.DataFrame({"a": [1]}), "Where were the <points> lost?", "one")
    downloads.button("scorecard.json", lambda: "{}", "scorecard.json", "two")
    downloads.report_buttons(lambda: "<p>", lambda: b"", "tricorder3")


def test_text_that_a_spreadsheet_would_run_is_quoted_and_numbers_are_untouched():
    read = pd.read_csv(io.BytesIO(downloads.csv(FORMULAS)), encoding="utf-8-sig")
    assert list(read.columns) == ["'-case", "'=team", "score"]
    assert list(read["'-case"]) == ["'+x", "y"]
    assert list(read["'=team"]) == ["'@a", "b"]
    assert list(read["score"]) == [-0.5, 0.25]
    assert list(FORMULAS["=team"]) == ["@a", "b"]


def test_a_spreadsheet_sees_the_encoding():
    assert downloads.csv(pd.DataFrame({"name": ["é"]}), index=False) == b"\xef\xbb\xbfname\n\xc3\xa9\n"


def test_all_buttons_are_offered():
    app = AppTest.from_function(offers).run()
    assert not app.exception
    assert [button.proto.label for button in app.get("download_button")] == [
        "CSV",
        "scorecard.json",
        "Report (HTML)",
        "For a paper (zip)",
    ]


def test_a_session_keeps_its_part_of_the_name_and_another_has_its_own():
    first, second = AppTest.from_function(offers).run(), AppTest.from_function(offers).run()
    kept = first.session_state[downloads.NONCE]
    assert first.run().session_state[downloads.NONCE] == kept
    assert second.session_state[downloads.NONCE] != kept


def test_files_that_differ_where_streamlit_does_not_look_have_addresses_of_their_own(monkeypatch):
    """Above 1 MiB Streamlit names a file by samples of its content, its type and its name."""
    one, other = bytearray(3 << 20), bytearray(3 << 20)
    other[700_000] = 1
    storage, addresses = MemoryMediaFileStorage("/media"), []
    for content, session in ((one, {}), (other, {})):
        monkeypatch.setattr(downloads.st, "session_state", session)
        addresses.append(
            storage.load_and_get_id(
                bytes(content), "text/csv", "downloadable", downloads.session_name("points", "csv")
            )
        )
    assert addresses[0] != addresses[1]


@pytest.mark.parametrize("stem", ["../../x", "a b?", ""])
def test_names_are_clean(stem, monkeypatch):
    monkeypatch.setattr(downloads.st, "session_state", {downloads.NONCE: "0123abcd"})
    assert (
        downloads.session_name(stem, "csv")
        == {"../../x": "x", "a b?": "a-b", "": "benchside"}[stem] + "-0123abcd.csv"
    )
