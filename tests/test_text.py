import re
import unicodedata
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.common import text
from scoring.common.text import common_start

# Pieces that Markdown, its automatic links, Streamlit's colours, icons and formulas are made of.
PIECES = st.lists(
    st.sampled_from(
        [
            "![",
            "](",
            ")",
            "[",
            "]",
            "http://",
            "https://x.y",
            "www.",
            "WWW.evil.example",
            "a@b.example",
            "mailto:",
            "`",
            "```",
            "*",
            "**",
            "_",
            "~~",
            "<",
            ">",
            "<img src=x>",
            "|",
            "#",
            "-",
            "+",
            "1.",
            "\\",
            "$",
            "$$",
            ":red[",
            ":material/home:",
            "&amp;",
            "\n",
            "\n\n",
            "    ",
            "\t",
            "word",
            "é",
            "“",
            "\u202e",
            "\u200b",
            "\u2060",
        ]
    )
    | st.text(max_size=4),
    max_size=20,
).map("".join)


@given(PIECES)
def test_nothing_that_markdown_reads_is_left_bare(foreign):
    shown = text.markdown(foreign)
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", shown)
    assert not set(bare) & set("\\`*_{}[]()#+-.!|<>~:$&@^=/\"'")
    assert "\n" not in shown


@given(PIECES)
def test_no_automatic_link_can_begin(foreign):
    typed = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text.markdown(foreign))
    assert not re.search(r"://|(?i:www)\.", typed)
    assert not re.search(r"@(?!\u2060)", typed)


@given(PIECES)
def test_the_text_reads_as_it_was_typed(foreign):
    shown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text.markdown(foreign)).replace("\u2060", "")
    assert shown == text.shortened(foreign)


@given(st.text(max_size=400), st.integers(1, 50))
def test_shortened_is_one_short_line(foreign, limit):
    line = text.shortened(foreign, limit)
    assert len(line) <= limit
    assert line == " ".join(line.split())
    assert not re.search(r"[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060\ufeff]", line)


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        *(("a\tb\nc", "a b c"), ("x" * 10_000, "x" * 199 + "…"), ("gpj.\u202eexe", "gpj.exe"), ("", "")),
        *((12, "12"), (" " * 5000 + "late", "…")),
    ],
)
def test_what_is_shortened(foreign, shown):
    assert text.shortened(foreign) == shown


@given(st.text(max_size=300))
def test_a_file_name_is_one_everywhere(foreign):
    name = text.file_name(foreign)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,59}", name)


@pytest.mark.parametrize(
    ("foreign", "name"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("Where were the points lost?", "Where-were-the-points-lost"),
        ("???", "benchside"),
        ("Müller", "Muller"),
        ("con\x00.csv", "con-csv"),
    ],
)
def test_file_names(foreign, name):
    assert text.file_name(foreign) == name


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        *(("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "'\rx")),
        *(
            ("＝1+1", "'＝1+1"),
            ("＋1", "'＋1"),
            ("－1", "'－1"),
            ("＠x", "'＠x"),
            ("\ufeff=1+1", "'\ufeff=1+1"),
        ),
        *(("MEL", "MEL"), (-1.5, -1.5), (None, None), (0, 0)),
    ],
)
def test_formulas_become_text_and_numbers_stay(value, cell):
    assert text.csv_cell(value) == cell


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("../../x.exe", "x.exe"),
        ("/etc/passwd", "etc/passwd"),
        ("..\\..\\x.exe", ".._.._x.exe"),
        ("set/masks/a.nii.gz", "set/masks/a.nii.gz"),
        ("./a.csv", "a.csv"),
        ("..", "file"),
        ("", "file"),
        ("a\nb\x00.csv", "a_b_.csv"),
        ("größe.csv", "größe.csv"),
    ],
)
def test_names_of_uploads_stay_in_their_folder(sent, name):
    assert text.uploaded_name(sent) == name


@pytest.mark.parametrize(
    ("names", "start"),
    [
        (["ISIC_0012", "ISIC_0034"], "ISIC_"),
        (["images/L01.jpg", "images/L02.jpg"], "images/"),
        (["ALD-001", "ALD-002"], ""),
        (["sample_", "sample_1"], ""),
        (["sample_x", "sample_x"], "sample_"),
        (["lesion1", "lesion2"], ""),
        (["sample_1"], ""),
        ([], ""),
    ],
)
def test_what_all_names_begin_with_is_cut_at_a_separator(names, start):
    assert common_start(names) == start


@given(st.text(max_size=30), st.sampled_from(["NFC", "NFD", "NFKD"]))
def test_normalized_text_is_unicodes(words, form):
    assert text.normalized(form, words) == unicodedata.normalize(form, words)


def test_combining_marks_beyond_thirty_in_a_row_cost_no_time():
    """Python's normalisation takes two seconds for 25,000 pairs of marks, and four times as long for twice as
    many: a column name of 800 KB would stop the server for minutes."""
    marks = "\u0301\u0316" * 200_000
    start = process_time()
    assert text.normalized("NFC", f"a{marks}b{marks[:3]}") == unicodedata.normalize(
        "NFC", f"a{marks[:30]}b{marks[:3]}"
    )
    assert process_time() - start < 2
