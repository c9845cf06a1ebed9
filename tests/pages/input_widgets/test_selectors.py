"""What counts of files that are dropped one after another."""

from dataclasses import dataclass

import pytest
from streamlit.testing.v1 import AppTest

from pages.input_widgets.upload_widget import as_folder


@dataclass(frozen=True)
class File:
    name: str
    content: str = ""


@pytest.mark.parametrize(
    ("before", "new", "counts"),
    [
        ([], ["a.csv"], ["a.csv"]),
        (["a.nii.gz"], ["b.nii.gz"], ["a.nii.gz", "b.nii.gz"]),
        (["a.nii.gz", "b.nii.gz"], ["t.csv"], ["a.nii.gz", "b.nii.gz", "t.csv"]),
        (["a.zip"], ["B.ZIP"], ["B.ZIP"]),
        (["a.nii.gz", "t.csv"], ["b.zip"], ["b.zip"]),
        (["a.csv"], ["b.csv"], ["b.csv"]),
        (["a.zip"], ["b.csv"], ["b.csv"]),
        (["a.csv"], ["images.zip", "b.csv"], ["images.zip", "b.csv"]),
        (["a.zip"], ["b.geojson"], ["b.geojson"]),
        (["a.zip", "b.geojson"], ["c.geojson"], ["c.geojson"]),
        (["a.geojson"], ["b.geojson"], ["a.geojson", "b.geojson"]),
        (["a.zip"], [], ["a.zip"]),
        (["a.csv"], [], ["a.csv"]),
    ],
)
def test_files_join_a_folder_and_what_is_whole_takes_its_place(before, new, counts):
    assert [
        file.name for file in as_folder([File(name) for name in before], [File(name) for name in new])
    ] == counts


def test_a_file_takes_the_place_of_one_of_its_name():
    assert as_folder([File("a.nii.gz", "old"), File("t.csv")], [File("a.nii.gz", "new")]) == [
        File("t.csv"),
        File("a.nii.gz", "new"),
    ]


def panel():
    import streamlit as st

    from pages.input_widgets import selectors
    from scoring.challenges import samples

    given, _ = selectors.test_set(samples.test_sets("hecktor2026"), "some_page", "drop", ("png",))
    st.text(f"{given.name}: {sorted(given.source) if isinstance(given.source, dict) else given.own}")


def test_a_file_dropped_again_is_what_counts_also_after_going_back_to_the_sample():
    app = AppTest.from_function(panel).run()
    assert app.text[0].value == "hecktor2026: False"
    app.file_uploader(key="some_page_set_files").upload("bad.zip", b"1").run()
    app.file_uploader(key="some_page_set_files").upload("good.zip", b"2").run()
    assert app.text[0].value == "good.zip: True"
    app.button(key="some_page_set_back").click().run()
    app.file_uploader(key="some_page_set_files").upload("better.csv", b"3").run()
    assert app.text[0].value == "better.csv: True"
    app.file_uploader(key="some_page_set_files").upload("one.png", b"4").upload("two.csv", b"5").run()
    assert app.text[0].value == "the dropped files: ['one.png', 'two.csv']"
