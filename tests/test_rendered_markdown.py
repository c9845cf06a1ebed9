"""The Markdown of captions, rules and sentences, as HTML and as plain text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.common import rendered_markdown
from scoring.common.text import markdown
from tests.support.html_reader import read
from tests.support.payloads import PAYLOADS


def test_rules_are_read_as_the_markdown_they_are():
    shown = rendered_markdown.html("| a | b |\n|---|--:|\n| **1** | `x<y` |\n\n:red[▲] malignant\nand more")
    assert shown == (
        '<table><thead><tr><th scope="col">a</th><th '
        'scope="col">b</th></tr></thead><tbody><tr><td><strong>1</strong></td>'
        '<td><code>x&lt;y</code></td></tr></tbody></table><p><span class="malignant">▲</span> '
        "malignant and more</p>"
    )


@pytest.mark.parametrize("payload", PAYLOADS)
def test_foreign_text_is_shown_as_it_was_typed(payload):
    typed = " ".join(re.sub(r"[\u200b\u202e]", "", payload).split())
    escaped = markdown(payload)
    reader = read(rendered_markdown.html(f"**{escaped}** of :red[{escaped}]"))
    assert {tag for tag, _ in reader.elements} == {"p", "strong", "span"}
    assert "".join(reader.words) == rendered_markdown.plain(f"{escaped} of {escaped}")
    assert rendered_markdown.plain(escaped)[:20] == typed[:20]


@given(st.text(max_size=40))
def test_whatever_is_typed_comes_back_as_text(text):
    reader = read(rendered_markdown.html(f"a {markdown(text)}"))
    assert reader.balanced
    assert [tag for tag, _ in reader.elements] == ["p"]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**a :red[▲ b] c**", '<strong>a <span class="malignant">▲ b</span> c</strong>'),
        (":orange-badge[▲ 2] x", '<span class="badge medium">▲ 2</span> x'),
        ("a  \nb\nc", "a<br>b c"),
        ("a&nbsp;b", "a\u00a0b"),
        ("2 ** 3 [x] `**`", "2 ** 3 [x] <code>**</code>"),
        (":red[**a]", "".join((":red[", "**a]"))),
        ("<b> & \\*", "&lt;b&gt; &amp; *"),
    ],
)
def test_marks(text, html):
    assert rendered_markdown.inline_html(text) == html


def test_lists_are_lists():
    assert rendered_markdown.html("- It **x**\n- y") == "<ul><li>It <strong>x</strong></li><li>y</li></ul>"
    assert rendered_markdown.html("a\n- b") == "<p>a - b</p>"


def test_plain_text_has_no_marks():
    assert rendered_markdown.plain("**a** `b`  \n:red[▲] c\\*") == "a b ▲ c*"
