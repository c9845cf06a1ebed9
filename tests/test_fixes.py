"""Fixes: a file that is read with changes gives what a file gives that was right at once."""

import csv
import io
from collections.abc import Callable, Iterable

import pytest

import scoring
from scoring.challenges import samples
from scoring.cli.output import helps
from scoring.common.findings import Finding, distinct
from scoring.common.fixes import InputChanges, SuggestedFix, renamed, renaming
from scoring.inputs.fix_suggestions import of_kind, renamings, without_affix
from scoring.inputs.sources import FixedSource, open_source
from scoring.inputs.table_edits import fixed_table
from tests.support import lesion_tables
from tests.support.command_line import ROOT
from tests.support.workbooks import sheet, workbook

GOLDEN = ROOT / "tests" / "golden"


def sample(challenge_id: str):
    """Challenge, truth and the prediction file of a sample team."""
    challenge = scoring.load_challenge(challenge_id)
    chosen = next(iter(samples.test_sets(challenge_id).values()))
    team = next(team for team in chosen.submissions.values() if not team.is_model)
    return challenge, challenge.read_truth(chosen.path), team.path


def changed(
    data: bytes, header: Callable[[str], str] = str, cell: Callable[[int, str], str] = lambda _i, c: c
):
    """A table with another header and other cells (column, cell)."""
    first, *rows = csv.reader(io.StringIO(data.decode()))
    text = io.StringIO()
    made = [[header(name) for name in first], *([cell(i, c) for i, c in enumerate(row)] for row in rows)]
    csv.writer(text, lineterminator="\n").writerows(made)
    return text.getvalue().encode()


def refused(work: Callable, *arguments, **options) -> scoring.InputRefused:
    with pytest.raises(scoring.InputRefused) as found:
        work(*arguments, **options)
    return found.value


def offered(findings: Iterable[Finding]) -> dict[str, SuggestedFix]:
    return {fix.label: fix for fix in distinct(m for finding in findings for m in finding.fixes)}


def same_score(challenge, truth, right, fixed) -> dict:
    """The card of what was mended, which says what it says of what was right at once, but for what was
    mended; without that."""
    cards = [
        challenge.score(truth, read, resamples=20).as_dict()
        for read in (
            challenge.read_predictions(right, truth, "p"),
            challenge.read_predictions(fixed, truth, "p"),
        )
    ]
    for card in cards:
        card["findings"] = [
            entry for entry in card["findings"] if entry["code"] not in ("mended", "refused-as-given")
        ]
        card["provenance"].pop("predictions_sha256")
    right_official, fixed_official = (card.pop("official") for card in cards)
    assert not fixed_official["same"]  # official programs read the file as it was given
    if right_official["same"] and challenge.id != "isic":
        assert "official after" in fixed_official["reason"]
    if challenge.id == "isic":
        assert right_official["same"]
        assert [card.pop("official_check")["accepted"] for card in cards] == [True, False]
    said = cards[1]["provenance"].pop("mended")
    assert cards[0] == cards[1]
    return said[0]


@pytest.mark.parametrize("challenge_id", ["tricorder3", "isic"])
@pytest.mark.parametrize(("name", "pattern"), [("prob_{}", "prob_*"), ("{}_score", "*_score")])
def test_a_prefix_or_suffix_of_all_columns_is_taken_off(challenge_id, name, pattern):
    challenge, truth, path = sample(challenge_id)
    data = path.read_bytes()
    ids = data.split(b",")[0].decode()
    bad = changed(data, lambda column: column if column == ids else name.format(column))
    found = refused(challenge.read_predictions, bad, truth)
    ((_, fix),) = offered(found.problems).items()
    assert fix.label == f"Read columns without “{pattern.replace('*', '')}”"
    assert same_score(challenge, truth, data, FixedSource(bad, fix.changes)) == {"columns": {pattern: "*"}}
    card = challenge.score(
        truth, challenge.read_predictions(FixedSource(bad, fix.changes), truth, "p.csv"), resamples=0
    )
    (said,) = [f for f in card.findings if f.code == "mended"]
    assert (said.level, said.where) == ("note", "p.csv")
    assert f"columns without “{pattern.replace('*', '')}”" in said.message


@pytest.mark.parametrize(
    ("challenge_id", "column", "written", "label"),
    [
        ("melanoma", 1, "Risk score", "Read column “Risk score” as the score"),
        ("tricorder3", 2, "BCCs", "Read column “BCCs” as class BCC"),
        ("isic", 1, "mel", "Read column “mel” as category MEL"),
        ("isic", 0, "imge", "Read column “imge” as the case id"),
    ],
)
def test_a_column_is_read_by_another_name(challenge_id, column, written, label):
    challenge, truth, path = sample(challenge_id)
    data = path.read_bytes()
    if challenge_id == "melanoma":  # beside a second column of numbers
        data = b"\n".join(line + b",9" * bool(line) for line in data.split(b"\n")).replace(b",9", b",age", 1)
    header = next(csv.reader([data.decode().split("\n")[0]]))
    bad = changed(data, lambda name: written if name == header[column] else name)
    fixes = offered(refused(challenge.read_predictions, bad, truth).problems)
    assert list(fixes) == [label]
    fixed = FixedSource(bad, fixes[label].changes)
    if challenge_id == "melanoma":
        read = challenge.read_predictions(fixed, truth)
        assert (read.outputs == challenge.read_predictions(data, truth).outputs).all()
    else:
        same_score(challenge, truth, data, fixed)


def test_columns_that_are_too_many_are_left_out():
    challenge, truth, path = sample("isic")
    data = path.read_bytes()
    bad = b"".join(
        b"%d,%s,x\n" % (number, line) if number else b",%s,site\n" % line
        for number, line in enumerate(data.splitlines())
    )
    found = refused(challenge.read_predictions, bad, truth)
    assert [problem.code for problem in found.problems] == ["extra-column"] * 2
    fixes = offered(found.problems)
    assert list(fixes) == ["Leave out columns “site” and without a name"]
    (fix,) = fixes.values()
    assert same_score(challenge, truth, data, FixedSource(bad, fix.changes)) == {
        "columns": {"": "", "site": ""}
    }


def test_cases_without_a_prediction_count_as_wrong():
    challenge = scoring.load_challenge("tricorder3")
    truth = challenge.read_truth(lesion_tables.truth(), "t.csv")
    data = b"\n".join(lesion_tables.predictions().split(b"\n")[:-3]) + b"\n"
    read = challenge.read_predictions(data, truth, "p.csv")
    fixes = offered(refused(challenge.score, truth, read).problems)
    alone = "Leave out 2 missing cases (unofficial)"
    assert list(fixes) == ["Count 2 cases as wrong", alone]
    fix, _ = fixes.values()
    options = dict(fix.changes.options)
    assert options == {"missing": "wrong"}
    card = challenge.score(truth, read, resamples=0, **options)
    assert card.incomplete == "2 of 6 predictions missing, counted as wrong"
    assert list(offered(card.findings)) == [alone, "Give the size of its model"]


def test_a_mend_is_not_part_of_what_findings_say():
    plain = Finding("error", "missing-case", "a", "no row")
    fixed = plain.with_fixes(SuggestedFix("Count it as wrong", InputChanges(options=(("missing", "wrong"),))))
    assert (plain, hash(plain), plain.as_dict()) == (fixed, hash(fixed), fixed.as_dict())
    assert set(fixed.as_dict()) == {"level", "code", "where", "message"}


def test_changes_are_joined_and_the_later_counts():
    first = InputChanges(columns=(("a", "b"),), options=(("missing", "wrong"),))
    joined = first.joined(InputChanges(columns=(("a", "c"), ("d", "")), delimiter="|"))
    assert joined == InputChanges((("a", "c"), ("d", "")), delimiter="|", options=(("missing", "wrong"),))
    assert joined.as_dict() == {"columns": {"a": "c", "d": ""}, "delimiter": "|"}
    assert not InputChanges()
    assert not first.of_files.options


@pytest.mark.parametrize(
    ("pairs", "name", "read"),
    [
        ((("prob_*", "*"),), "prob_MEL", "MEL"),
        ((("prob_*", "*"),), "prob_", "prob_"),
        ((("*_seg", "*"),), "P1_seg", "P1"),
        ((("*_seg", "*"),), "P1_seg_2", "P1_seg_2"),
        ((("a*", "*"), ("ab", "c")), "ab", "c"),
        ((("x", ""),), "x", ""),
    ],
)
def test_names_are_read_otherwise(pairs, name, read):
    assert renamed(name, pairs) == read


def test_a_button_says_what_it_does():
    assert renaming("column", (("Risk", "score"),)).label == "Read column “Risk” as score"
    assert renaming("case", (("*_seg", "*"),)).label == "Read cases without “_seg”"
    both = InputChanges(columns=(("Age", ""), ("Risk", "score"), ("", "")), one_table=True)
    assert both.command() == (
        "Read column “Risk” as score, only the table, as CSV and leave out columns “Age” and without a name"
    )
    assert InputChanges(columns=(("a", ""), ("b", ""))).command() == "Leave out columns “a”, “b”"
    assert InputChanges(decimal_commas=True, delimiter="|").words() == (
        "commas in numbers as decimal commas, “|” as the separator of cells"
    )


@pytest.mark.parametrize(
    ("data", "changes", "fixed"),
    [
        (
            b"\xef\xbb\xbfid,p_A\r\n1,2\r\n",
            InputChanges(columns=(("p_*", "*"),)),
            b"\xef\xbb\xbfid,A\r\n1,2\r\n",
        ),
        (
            "id;p_Ä\n1;2\n".encode("utf-16"),
            InputChanges(columns=(("p_*", "*"),)),
            "id;Ä\n1;2\n".encode("utf-16"),
        ),
        (b"sep=;\nid;p_A\n1;2\n", InputChanges(columns=(("p_*", "*"),)), b"sep=;\nid;A\n1;2\n"),
        (b',id,"a, b"\n0,x,1\n', InputChanges(columns=(("", ""), ("a, b", "A"))), b"id,A\nx,1\n"),
        (b'id,A\nx,"0,5"\n', InputChanges(decimal_commas=True), b"id,A\nx,0.5\n"),
        (b"id,A,B\nx,0,5,0,25\n", InputChanges(decimal_commas=True), b"id,A,B\nx,0.5,0.25\n"),
        (b"id|A\nx|1\n", InputChanges(delimiter="|"), b"id,A\nx,1\n"),
        (b"id,A\na/x_p.jpg,1\ny_p,2\n", InputChanges(cases=(("*_p", "*"),)), b"id,A\na/x.jpg,1\ny,2\n"),
        (b"n,id\n12,1x\n", InputChanges(cases=(("1*", "*"),)), b"n,id\n12,x\n"),
        (b"who,A\n1x,1.0\n", InputChanges(cases=(("1*", "*"),)), b"who,A\nx,1.0\n"),
        (b"\xff\xfeA", InputChanges(columns=(("A", "B"),)), b"\xff\xfeA"),
        (b'{"A": 1}', InputChanges(columns=(("*", "B"),)), b'{"A": 1}'),
        (b"", InputChanges(columns=(("A", "B"),)), b""),
        (b"id,A\nx,1\ny,2\nx, 1\n", InputChanges(repeated=("identical", "")), b"id,A\nx,1\ny,2\n"),
        (b"id,A\nx,1\nx,2\n", InputChanges(repeated=("identical", "")), b"id,A\nx,1\nx,2\n"),
        (b"id,A\nx,1\ny,2\nx,3\n", InputChanges(repeated=("first", "id")), b"id,A\nx,1\ny,2\n"),
        (b"id,A\nx,1\ny,2\nx,3\n", InputChanges(repeated=("last", "id")), b"id,A\ny,2\nx,3\n"),
        (b"id,A\nx,1\nx,2\n", InputChanges(repeated=("last", "no")), b"id,A\nx,1\nx,2\n"),
        (b"n,A\nx,1\nx,2\n", InputChanges((("n", "id"),), repeated=("last", "id")), b"id,A\nx,2\n"),
    ],
)
def test_bytes_of_tables(data, changes, fixed):
    assert fixed_table(data, "t.csv", changes) == fixed


def test_files_are_read_by_the_names_of_their_cases():
    changes = InputChanges(cases=(("*_seg", "*"),))
    files = open_source(
        FixedSource({"masks/P1_seg.nii.gz": b"1", "t.csv": b"id\nP1_seg\n"}, changes), "folder"
    )
    assert files.members == ("masks/P1.nii.gz", "t.csv")
    assert files.read("masks/P1.nii.gz") == files.open("masks/P1.nii.gz").read() == b"1"
    assert files.read("t.csv") == files.open("t.csv").read() == b"id\nP1\n"
    both = open_source(FixedSource({"P1_seg.nii": b"1", "P1.nii": b"2"}, changes), "folder")
    assert both.members == ("P1.nii", "P1_seg.nii"), "never one file over another"


@pytest.mark.parametrize("challenge_id", ["melanoma", "isic"])
@pytest.mark.parametrize("name", ["{}_pred", "model-{}"])
def test_a_prefix_or_suffix_of_all_cases_is_taken_off(challenge_id, name):
    challenge, truth, path = sample(challenge_id)
    data = path.read_bytes()

    def longer(column: int, cell: str) -> str:
        folder, slash, base = cell.rpartition("/")
        stem, mark, ending = base.partition(".")
        return cell if column else f"{folder}{slash}{name.format(stem)}{mark}{ending}"

    bad = changed(data, cell=longer)
    found = refused(challenge.read_predictions, bad, truth)
    (label, fix), *none = offered(found.problems).items()
    assert (label, none) == (f"Read cases without “{name.format('')}”", [])
    assert same_score(challenge, truth, data, FixedSource(bad, fix.changes)) == {
        "cases": {name.format("*"): "*"}
    }


@pytest.mark.parametrize("challenge_id", ["tricorder3", "isic"])
def test_of_rows_of_the_same_case_one_is_kept(challenge_id):
    challenge, truth, path = sample(challenge_id)
    data = path.read_bytes().rstrip(b"\n") + b"\n"
    header, first, *rows = data.splitlines(keepends=True)
    bad = header + first + b"".join(rows) + first
    (fix,) = offered(refused(challenge.read_predictions, bad, truth).problems).values()
    assert fix.label.startswith("Keep one of identical rows: score ")
    assert same_score(challenge, truth, data, FixedSource(bad, fix.changes)) == {"repeated": "identical"}
    column = header.decode().split(",")[0]
    other = first.split(b",")[0] + b"," + rows[0].split(b",", 1)[1]
    fixes = offered(refused(challenge.read_predictions, data + other, truth).problems)
    ways = ["Read the mean of the rows", "Keep the first row", "Keep the last row"]
    assert [label.partition(" of each case: score ")[0] for label in fixes] == ways
    _, first_kept, last_kept = (FixedSource(data + other, fix.changes) for fix in fixes.values())
    assert same_score(challenge, truth, data, first_kept) == {"repeated": {"first": column}}
    right = header + b"".join(rows) + other
    assert same_score(challenge, truth, right, last_kept) == {"repeated": {"last": column}}


@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize("challenge_id", ["melanoma", "isic"])
def test_decimal_commas_between_commas_are_read(challenge_id, quoted):
    challenge, truth, path = sample(challenge_id)
    data = changed(path.read_bytes(), cell=lambda column, cell: f"{float(cell):.6f}" if column else cell)
    bad = changed(data, cell=lambda column, cell: cell.replace(".", ",") if column else cell)
    bad = bad if quoted else bad.replace(b'"', b"")
    found = refused(challenge.read_predictions, bad, truth)
    assert list(offered(found.problems)) == ["Read commas as decimal commas"]
    (fix,) = offered(found.problems).values()
    assert same_score(challenge, truth, data, FixedSource(bad, fix.changes)) == {"decimal_commas": True}


@pytest.mark.parametrize(("mark", "words"), [("|", "“|”"), (" ", "blanks")])
def test_cells_that_another_character_separates_are_read(mark, words):
    challenge, truth, path = sample("isic")
    data = path.read_bytes()
    bad = data.replace(b",", mark.encode())
    fixes = offered(refused(challenge.read_predictions, bad, truth).problems)
    assert list(fixes) == [f"Read {words} as the separator of cells"]
    (fix,) = fixes.values()
    assert same_score(challenge, truth, data, FixedSource(bad, fix.changes)) == {"delimiter": mark}


def test_where_no_name_is_near_columns_of_that_kind_are_offered():
    challenge, truth, path = sample("melanoma")
    rows = [line.split(",") for line in path.read_text().split()]
    bad = (
        "\n".join(f"{i},x,{p},7" for i, p in [("q", "u"), *rows[1:]])
        .replace("x", "y", 1)
        .replace("7", "v", 1)
    )
    fixes = offered(refused(challenge.read_predictions, bad.encode(), truth).problems)
    assert [label.split(":")[0] for label in fixes] == [
        f"Read columns “{name}” as score, “q” as filename" for name in ("u", "v")
    ]


def zip_of(
    path, name: Callable[[str], str] = str, table: Callable[[bytes], bytes] = bytes
) -> dict[str, bytes]:
    """The members of a zip as a dropped folder, with other names and another table."""
    files = open_source(path)
    return {
        name(member): table(files.read(member)) if member.endswith(".csv") else files.read(member)
        for member in files.members
    }


def test_puma_files_with_a_suffix_are_read():
    challenge, truth, path = sample("puma")
    right = zip_of(path)
    bad = zip_of(path, lambda member: member.replace(".json", "_pred.json"))
    bad = {name: data for name, data in bad.items() if not name.endswith(".csv")}
    right = {name: data for name, data in right.items() if not name.endswith(".csv")}
    (fix,) = offered(refused(challenge.read_predictions, bad, truth).problems).values()
    assert same_score(challenge, truth, right, FixedSource(bad, fix.changes)) == {
        "cases": dict(fix.changes.cases)
    }


def test_hecktor_masks_with_a_suffix_and_columns_of_other_names_are_read():
    folder = GOLDEN / "hecktor2026" / "basics"
    challenge = scoring.load_challenge("hecktor2026")
    truth = challenge.read_truth(folder / "truth")
    right = {
        path.relative_to(folder / "predictions").as_posix(): path.read_bytes()
        for path in (folder / "predictions").rglob("*.*")
    }
    bad = {name.replace(".nii", "_run7.nii"): data for name, data in right.items()}
    bad["predictions.csv"] = (
        right["predictions.csv"].replace(b"risk", b"Risk score").replace(b"T_stage", b"T")
    )
    fixes = offered(refused(challenge.read_predictions, bad, truth).problems)
    changes = fixes["Read cases without “_run7”"].changes
    changes = changes.joined(fixes["Read “T” as T-stage, “Risk score” as Risk"].changes)
    same_score(challenge, truth, right, FixedSource(bad, changes))


def test_the_mend_of_the_name_of_one_file_is_one():
    challenge, truth, path = sample("puma")
    files = open_source(path)
    member = next(name for name in files.members if name.endswith("json") and "roi" in name)
    data, name = files.read(member), member.rpartition("/")[2]
    problems = refused(challenge.read_predictions, data, truth, f"model_{name}").problems
    (fix,) = offered(problems).values()
    read = challenge.read_predictions(FixedSource(data, fix.changes), truth, f"model_{name}")
    right = challenge.read_predictions(data, truth, name)
    cards = [challenge.score(truth, each, resamples=0) for each in (read, right)]
    assert cards[0].metrics == cards[1].metrics


def test_a_column_of_a_test_set_is_read_by_another_name():
    challenge, data = scoring.load_challenge("tricorder3"), lesion_tables.truth()
    header, _, rows = data.partition(b"\n")
    bad = header.replace(b"Class", b"True class") + b"\n" + rows
    fixes = offered(refused(challenge.read_truth, bad, "t.csv").problems)
    fix = fixes["Read column “True class” as the label"]
    read = challenge.read_truth(FixedSource(bad, fix.changes), "t.csv")
    assert (read.labels == challenge.read_truth(data, "t.csv").labels).all()
    predictions = challenge.read_predictions(lesion_tables.predictions(), read, "p.csv")
    card = challenge.score(read, predictions, resamples=0)
    assert card.provenance["mended"] == [{"columns": {"True class": "Class"}}]


@pytest.mark.parametrize("new", ["../x", "/x", "..", ".", ""])
def test_no_file_leaves_its_folder_by_another_name(new):
    files = open_source(FixedSource({"a/P1.json": b"1"}, InputChanges(cases=(("P1", new),))), "folder")
    assert [member.count("/") for member in files.members] == [1]
    assert all(".." not in member.split("/") for member in files.members)


def test_long_headers_and_names_are_not_compared():
    long = "prob_" * 200_000
    assert renamings([long + "NV", "x"], "class NV", ["NV"]) == ()
    assert without_affix([long + "c1"], ["c1"]) == ()
    assert of_kind(["a", "b"], [["x" + "1" * 1_000_000], ["y"]], "the score", "score", "number") == []


def test_workbooks_are_mended_as_tables_are():
    changes = InputChanges(columns=(("p_*", "*"),))
    book = workbook({"t": sheet([["id", "p_A"], ["x", 1]])})
    for source in (book, {"t.xlsx": book}):
        files = open_source(FixedSource(source, changes), "t.xlsx")
        assert files.read(files.members[0]).splitlines()[0] == b"id,A"


def test_a_change_that_was_made_is_no_longer_offered_in_the_terminal():
    offered = renaming("column", (("p", "risk"),))
    made = SuggestedFix("", offered.changes)
    assert [flags for _, flags in helps([offered])] == ["--rename-columns p=risk"]
    assert [*helps([made, offered])] == []
