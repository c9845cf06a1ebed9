"""What a paper takes from a result: one zip, the same bytes each time, numbers as in the card."""

import csv
import io
import re
import shutil
import subprocess
import zipfile
from xml.etree import ElementTree

import pytest

from scoring.challenges import challenge_ids, load_challenge
from scoring.common.citation import Citation
from scoring.comparison.report import paper_zip
from scoring.core.views import Column, Table
from scoring.presentation.paper import archive as paper
from scoring.presentation.paper import latex
from tests.support.teams import lesion_teams


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.fixture(scope="module")
def written(card):
    return members(paper.of_card(card, (("Team", "Aurora"),)))


def test_the_same_card_gives_the_same_bytes(card):
    assert paper.of_card(card) == paper.of_card(card)


def test_every_figure_is_a_file_of_its_own(written):
    figures = [text for name, text in written.items() if name.startswith("figures/")]
    assert len(figures) == 8 + 2 * 11  # the confusion matrix in counts and in shares
    for text in figures:
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"


def test_tables_are_there_twice_with_the_same_rows(card, written):
    stems = {name.rpartition(".")[0] for name in written if name.startswith("tables/")}
    assert stems
    for stem in stems:
        rows = list(csv.reader(io.StringIO(written[f"{stem}.csv"])))
        body = written[f"{stem}.tex"].partition("midrule")[2].partition("\\bottomrule")[0]
        assert body.count("\\\\") == len(rows) - 1
    (classes,) = (text for name, text in written.items() if re.search(r"each-class-predicted.*csv", name))
    found = {row["class"]: row for row in csv.DictReader(io.StringIO(classes))}
    for name, entry in card.per_class.items():
        assert float(found[name]["F1"]) == entry["f1"]


@pytest.mark.soak
def test_latex_takes_the_tables(written, tmp_path):
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("no pdflatex on this machine: install texlive-latex-recommended")
    tables = "".join(text for name, text in written.items() if name.endswith(".tex"))
    packages = r"\usepackage{booktabs,graphicx}"
    (tmp_path / "t.tex").write_text(
        rf"\documentclass{{article}}{packages}\begin{{document}}{tables}\end{{document}}", encoding="utf-8"
    )
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout[-2000:]
    assert [line for line in finished.stdout.splitlines() if line.startswith("Overfull \\hbox (")] == []


def test_wide_tables_have_short_heads_and_fit_the_page():
    columns = [Column(f"c{i}", f"c{i}", full=f"a long name of column {i}") for i in range(16)]
    rows = {column.name: ["x" * 8] for column in columns}
    wide = latex.table(Table("?", columns, rows), "c", "l")
    assert "long name" not in wide
    assert r"\resizebox{\linewidth}{!}{%" in wide
    assert r"\end{tabular}}" in wide
    narrow = latex.table(Table("?", columns[:2], rows), "c", "l")
    assert "long name" in narrow
    assert "resizebox" not in narrow


def test_methods_say_settings_and_digests(card, written):
    words = written["methods.txt"]
    for wanted in (
        "Team: Aurora",
        "60 resamples of 300 units (one per case), seed 0",
        "model_size_mib = 73.456789",
        card.provenance["truth_sha256"],
        card.provenance["predictions_sha256"],
        card.provenance["version"],
    ):
        assert wanted in words


def test_a_comparison_has_one_too():
    names = members(paper_zip(lesion_teams(2, 60, (1, 0.5), resamples=20)))
    assert {"methods.txt", "references.bib"} <= set(names)
    assert any(name.startswith("figures/01-Who-wins") for name in names)


def test_nothing_of_a_name_means_anything_to_latex():
    table = Table("", [Column("a", "50% & _more_"), Column("b", "b", "interval")], {
        "a": ["\\input{/etc/passwd} #1 $x$ ~ ^"], "b": [(-0.5, 1.0)],
    })  # fmt: skip
    text = latex.table(table, "one {two}", "x")
    assert r"50\% \& \_more\_" in text
    assert r"\textbackslash{}input\{/etc/passwd\} \#1 \$x\$" in text
    assert r"$-$0.500 to 1.000" in text
    assert r"\caption{one \{two\}}" in text
    assert latex.comma_separated(table).splitlines()[1].endswith(",-0.5,1.0")


def test_captions_are_whole_and_shapes_of_risk_groups_are_written():
    columns, words = (Column("a", "a", "class"),), "word " * 120
    text = latex.table(Table("?", columns, {"a": ["MEL"]}, risks={"MEL": "malignant"}), f"▲ {words}end", "x")
    assert r"\caption{$\triangle$ word word" in text
    assert "word end}" in text
    assert "$\\triangle$ MEL" in text


def test_no_cell_is_a_formula():
    table = Table("", [Column("a", "=1+1")], {"a": ["@x"]})
    assert latex.comma_separated(table) == "'=1+1\n'@x\n"


@pytest.mark.parametrize("challenge_id", challenge_ids())
def test_every_challenge_can_be_cited(challenge_id):
    for citation in load_challenge(challenge_id).words.citations:
        assert citation.title in citation.words()
        assert citation.bibtex().count("{") == citation.bibtex().count("}")
    assert load_challenge(challenge_id).words.citations


def test_an_entry_of_bibtex_names_persons_and_groups():
    text = Citation("k", "A & B", ("Doe, Jo", "The Group"), "2024", doi="10.1/x").bibtex()
    assert text == (
        "@misc{k,\n  title = {{A \\& B}},\n  author = {Doe, Jo and {The Group}},\n  year = {2024},\n"
        "  doi = {10.1/x},\n}\n"
    )


@pytest.mark.parametrize(
    ("name", "written"), [("[b] team", "{}[b] team"), ("*", "{}*"), ("a [b]*", "a [b]*")]
)
def test_a_cell_is_no_option_of_the_row_before(name, written):
    assert latex.text(name) == written
