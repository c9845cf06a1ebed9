"""Files of strangers: what is wrong is said at once, with line and key, and nothing is scored by guess."""

import copy
import json
import re
import subprocess
import sys
import tomllib
from random import Random

import pytest
from jsonschema import Draft202012Validator
from sklearn.metrics import cohen_kappa_score

import scoring
from scoring.challenges.declared import declaration, library
from scoring.challenges.declared.definition import challenge_of
from scoring.challenges.declared.parser import KEYS, LARGEST, parse, parse_tree
from scoring.common.findings import InputRefused
from scoring.metrics.metric import TASKS
from tests.support.command_line import ROOT, run
from tests.support.findings import outcome

FILE = """id = "cells"
title = "Cells"
task = "classification"
classes = ["a", "b", "c"]

[truth]
case = "image"
label = "class"

[predictions]
scores = "classes"

[score]
metric = "f1"
average = "macro"

[[report]]
metric = "accuracy"
"""
SCHEMA = json.loads((ROOT / "docs" / "schema" / "challenge.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
TWO = 'classes = ["a", "b"]'
CLASSES = 'classes = ["a", "b", "c"]'
SCORE = 'metric = "f1"\naverage = "macro"'
SCORES = 'scores = "classes"'
BAD = {
    "key": ("[truth]", '[truth]\ncas = "x"', "unknown-key", 7, "truth.cas", "Did you mean 'case'?"),
    "top key": ('title = "C', 'titel = "C', "unknown-key", 2, "titel", "Did you mean 'title'?"),
    "no title": ('title = "Cells"\n', "", "missing-key", 1, "title", "it is missing"),
    "id": ('"cells"', '"Cells 1"', "bad-value", 1, "id", "small letters, digits and hyphens"),
    "task": ('"classification"', '"clasification"', "bad-value", 3, "task", "Did you mean 'classification'"),
    "no task": ('task = "classification"\n', "", "missing-key", 1, "task", "one of classification"),
    "twice": ('"b", "c"', '"b", "b"', "bad-value", 4, "classes", "'b' appears twice"),
    "one class": (CLASSES, 'classes = ["a"]', "bad-value", 4, "classes", "two classes or more"),
    "number": (CLASSES, "classes = 3", "bad-value", 4, "classes", "write a list of texts"),
    "many": (CLASSES, f"classes = {[str(i) for i in range(1001)]}", "bad-value", 4, "classes", "1,000"),
    "positive": (
        *(CLASSES, f'{TWO}\npositive = "z"', "bad-value", 5, "positive", "'z' is not one of the classes"),
    ),
    "no truth": ('case = "image"\n', "", "missing-key", 6, "truth.case", "column of the case id"),
    "no label": ('label = "class"\n', "", "missing-key", 6, "truth.label", "column of the class"),
    "no form": (SCORES, "", "missing-key", 10, "predictions.label", "column of the class"),
    "score of three": (SCORES, 'score = "p"', "bad-value", 11, "predictions.score", "there are 3"),
    "missing": (SCORES, f'{SCORES}\nmissing = "worse"', "bad-value", 12, "predictions.missing", "'worst'"),
    "metric": ('"accuracy"', '"acuracy"', "unknown-metric", 18, "report[1].metric", "accuracy"),
    "no metric": (SCORE, "", "missing-key", 13, "score.metric", "parts"),
    "average": ('"macro"', '"mean"', "bad-value", 15, "score.average", "macro, micro, weighted"),
    "no average": ('\naverage = "macro"', "", "missing-key", 14, "score.metric", 'average = "macro"'),
    "class": ('average = "macro"', 'class = "z"', "bad-value", 15, "score.class", "'z' is not one of the"),
    "option": (SCORE, f"{SCORE}\nbeta = 2", "unknown-key", 16, "score.beta", "this key is unknown"),
    "beta": (SCORE, 'metric = "f_beta"\naverage = "macro"\nbeta = -1', "bad-value", 16, "score.beta", "0.01"),
    "huge": (
        *(SCORE, f'metric = "f_beta"\naverage = "macro"\nbeta = {10**400}'),
        *("bad-value", 16, "score.beta", "0.01"),
    ),
    "both": (SCORE, f"{SCORE}\nparts = [{{metric = 'kappa'}}]", "missing-key", 14, "score.metric", "parts"),
    "empty": (SCORE, "parts = []", "bad-value", 14, "score.parts", "weight = 60"),
    "weights": (
        *(SCORE, 'parts = [{metric = "accuracy", weight = 0}]'),
        *("bad-value", 14, "score.parts", "sum to 0"),
    ),
    "directions": (
        *(SCORE, 'parts = [{metric = "accuracy"}, {metric = "log_loss"}]'),
        *("bad-value", 14, "score.parts", "all be better when higher"),
    ),
    "labels only": (
        *(f"{SCORES}\n\n[score]\n{SCORE}", 'label = "class"\n\n[score]\nmetric = "auc"\naverage = "macro"'),
        *("bad-value", 14, "score.metric", "auc needs scores"),
    ),
    "no positive": (CLASSES, f"{TWO}", "missing-key", 1, "positive", ""),
    "markup": ('"Cells"', '"<b>Cells</b>"', "bad-value", 2, "title", "plain words"),
    "address": ('"Cells"', '"see https://x.y"', "bad-value", 2, "title", "plain words"),
    "ranking": (
        *(SCORE, f'{SCORE}\n[ranking]\nties = "least"', "bad-value", 17, "ranking.ties", "average, min"),
    ),
    "report twice": (
        *('"accuracy"', '"accuracy"\n[[report]]\nmetric = "accuracy"', "bad-value", 20, "report[2].metric"),
        "accuracy appears twice",
    ),
    "part twice": (
        *(SCORE, 'parts = [\n{metric = "accuracy", weight = 1},\n{metric = "accuracy", weight = 2}]'),
        *("bad-value", 14, "score.parts[2].metric", "accuracy appears twice"),
    ),
    "table": ("[[report]]", "[report]", "bad-value", 17, "report", "[[report]]"),
    "section": ("[truth]", "[truths]", "unknown-key", 6, "truths", "Did you mean 'truth'?"),
}


HIDDEN_IN = {
    "title": ('"Cells"', '"Ce\\u202Ells"', 2, "title", "U+202E"),
    "title, not escaped": ('"Cells"', '"Ce\u202ells"', 2, "title", "U+202E"),
    "id": ('"cells"', '"ce\\u0000lls"', 1, "id", "U+0000"),
    "class": ('"b", ', '"b\\u0000", ', 4, "classes", "U+0000"),
    "about": ('title = "Cells"', 'title = "Cells"\nabout = "a\\u2066b"', 3, "about", "U+2066"),
    "column": ('"image"', '"ima\\u0007ge"', 7, "truth.case", "U+0007"),
    "subgroup": (
        "[score]",
        '[subgroups]\ncolumns = ["a\\u200Bb"]\n[score]',
        14,
        "subgroups.columns",
        "U+200B",
    ),
    "citation": ("[score]", '[cite]\ntext = "a\\u202Eb"\n[score]', 14, "cite.text", "U+202E"),
    "key": ("[score]", '[score]\n"a\\u202Eb" = 1', 14, "score.ab", "U+202E"),
}


@pytest.mark.parametrize("code", [0xAD, 0x115F, 0x180E, 0x202E, 0x2800, 0x3164, 0xFFA0, 0xFFFA, 0xE0041])
def test_a_kept_declaration_has_no_hidden_characters_either(code):
    """A board of a bundle keeps its declaration as JSON, which no reader of TOML has seen."""
    tree = parse(FILE, "cells.toml").tree | {"title": f"Ce{chr(code)}lls"}
    with pytest.raises(InputRefused, match=f"hidden character U\\+{code:04X}"):
        parse_tree(tree, "declaration")


@pytest.mark.parametrize("kind", HIDDEN_IN)
def test_hidden_characters_are_refused_with_their_place(kind):
    old, new, line, key, character = HIDDEN_IN[kind]
    message = f"{key}: it contains the hidden character {character}: write it without that character."
    found = [p for p in problems(FILE.replace(old, new)) if p.message == message]
    assert [(p.code, p.where.split(":")[0]) for p in found] == [("bad-value", "cells.toml")]
    assert kind == "key" or found[0].where == f"cells.toml:{line}"


def test_lines_of_a_long_text_are_no_hidden_characters():
    text = FILE.replace('title = "Cells"', 'title = "Cells"\nabout = """One line,\n\tand another."""')
    assert parse(text, "cells.toml").about.about == "One line, and another."


def problems(text: str | bytes) -> list:
    with pytest.raises(InputRefused) as refused:
        parse(text, "cells.toml")
    return list(refused.value.problems)


@pytest.mark.parametrize("name", BAD)
def test_each_mistake_is_refused_with_line_key_and_mend(name):
    old, new, code, line, key, words = BAD[name]
    assert FILE.count(old) == 1 or name == "no positive"
    text = FILE.replace(old, new)
    if name == "no positive":
        text = text.replace('\naverage = "macro"', "")
    found = [p for p in problems(text) if p.code == code and p.message.startswith(f"{key}: ")]
    assert [p.where for p in found] == [f"cells.toml:{line}"]
    assert words in found[0].message


def test_a_kept_declaration_of_before_may_report_a_metric_twice():
    text = FILE + '[[report]]\nmetric = "accuracy"\n'
    assert [use.key for use in parse_tree(tomllib.loads(text), "declaration").report] == ["accuracy"] * 2


@pytest.mark.parametrize(("line", "code"), [('positive = "z"\n', "bad-value"), ("", "missing-key")])
def test_a_wrong_or_missing_positive_class_is_one_problem(line, code):
    text = FILE.replace(CLASSES + "\n", f"{TWO}\n{line}").replace(SCORES, 'score = "p"')
    text = text.replace(SCORE, 'metric = "auc"')
    assert [(p.code, p.message.split(":")[0]) for p in problems(text)] == [(code, "positive")]


def test_all_mistakes_are_listed_at_once():
    text = FILE.replace('"f1"', '"f9"').replace('label = "class"', 'labl = "class"').replace("title", "titel")
    assert [(p.code, p.where.split(":")[1]) for p in problems(text)] == [
        ("unknown-key", "2"),
        ("missing-key", "1"),
        ("unknown-key", "8"),
        ("missing-key", "6"),
        ("unknown-metric", "14"),
    ]


@pytest.mark.parametrize("task", ['"clasification"', '"another"', "3"])
def test_an_unknown_task_hides_no_other_mistake(task):
    text = FILE.replace('"classification"', task).replace('"accuracy"', '"acuracy"')
    text = text.replace('case = "image"', 'cas = "image"').replace(SCORES, f'{SCORES}\nmissing = "worse"')
    assert {(p.code, p.where.split(":")[1]) for p in problems(text)} == {
        ("bad-value", "3"),
        ("unknown-key", "7"),
        ("missing-key", "6"),
        ("bad-value", "12"),
        ("unknown-metric", "19"),
    }


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"id = \n", "cells.toml:1"),
        (b'a = "1"\na = "2"\n', "cells.toml:2"),
        (b"\xff\xfe", "cells.toml"),
        (b"a = " + b"[" * 100_000, "cells.toml"),
        (b"#" * (LARGEST + 1), "cells.toml"),
        (b"a = 1\nx" + b".x" * 3_000 + b" = 1", "cells.toml:2"),
        (b"a = {" + b'"x\\"" . ' * 3_000 + b"x = 1}", "cells.toml:1"),
    ],
    ids=["syntax", "twice", "bytes", "nested", "large", "long key", "long quoted key"],
)
def test_what_is_no_toml_is_refused(data, where):
    assert [(p.code, p.where) for p in problems(data)] == [("bad-toml", where)]


def test_a_key_of_many_parts_is_not_parsed():
    """`tomllib` took 10 GB for 50,000 parts: time and memory grow with their square."""
    (problem,) = problems(b"x" + b".x" * 3_000 + b" = 1")
    assert problem.message == "a key has more than 20 parts: keys of this file have at most three."


EXAMPLE = """id = "camelyon17"
title = "CAMELYON17: pN stage"
about = "pN stage of 100 patients from five slides each"
task = "ordinal"                       # classification | multilabel | ordinal | ...
classes = ["pN0", "pN0(i+)", "pN1mi", "pN1", "pN2"]
[truth]
case = "patient"
label = "stage"
[predictions]
label = "stage"                        # or scores = "classes"
missing = "refuse"                     # or "worst", "ignore"
[score]
metric = "quadratic_kappa"
[[report]]
metric = "balanced_accuracy"
[subgroups]
columns = ["center"]
[cite]
doi = "10.1109/TMI.2018.2867350"
"""
"""The file as it was specified: its keys are a contract."""


def test_the_specified_file_is_read_and_scored_as_it_stands():
    challenge = library.of_text(EXAMPLE, "camelyon17.toml")
    stages, called = [0, 1, 2, 3, 4, 1, 0, 3] * 4, [0, 1, 2, 4, 4, 0, 0, 3] * 4
    truth = "patient,stage,center\n" + "".join(
        f"p{i},{GRADES[k]},{'ab'[i % 2]}\n" for i, k in enumerate(stages)
    )
    sent = "patient,stage\n" + "".join(f"p{i},{GRADES[k]}\n" for i, k in enumerate(called))
    card = scoring.score(challenge, truth=truth.encode(), predictions=sent.encode(), resamples=0)
    assert card.score == pytest.approx(cohen_kappa_score(stages, called, weights="quadratic"), abs=1e-9)
    assert set(card.metrics) == {"quadratic_kappa", "balanced_accuracy"}
    assert set(card.more["slices"]["center"]) == {"a", "b"}
    assert "10.1109/TMI.2018.2867350" in challenge.words.citations[0].url
    weighted = EXAMPLE.replace('metric = "quadratic_kappa"', f"parts = {PARTS}").replace(
        "ordinal", "classification"
    )
    weighted = weighted.replace('label = "stage"  ', 'scores = "classes"  ')
    parts = {use.key: use.weight for use in parse(weighted, "w.toml").score}
    assert parts == {"f2_macro": 0.6, "accuracy": 0.3, "auc_macro": 0.1}


GRADES = ("pN0", "pN0(i+)", "pN1mi", "pN1", "pN2")
PARTS = (
    '[{metric = "f2", average = "macro", weight = 60}, {metric = "accuracy", weight = 30}, '
    '{metric = "auc", average = "macro", weight = 10}]'
)


def test_no_path_and_no_address_in_a_file_is_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    text = EXAMPLE.replace(
        'doi = "10.1109/TMI.2018.2867350"', f'doi = "{secret}"\nurl = "http://127.0.0.1:9/x"'
    )
    text = text.replace("task =", f'source = "file://{secret}"\ntask =').replace('"stage"', f'"{secret}"')
    script = (
        "import sys\nfrom scoring.challenges.declared import card, library, views\n"
        "seen = []\nsys.addaudithook(lambda event, given: seen.append((event, given)))\n"
        "challenge = library.of_text(sys.argv[1], 'a.toml')\nassert challenge.words.rule\n"
        "bad = ('socket.', 'urllib.', 'subprocess.', 'os.system', 'exec')\n"
        "told = [e for e in seen if e[0].startswith(bad) or (e[0] == 'open' and 'secret' in str(e[1][0]))]\n"
        "print(told)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, text], cwd=ROOT, capture_output=True, text=True)
    assert (done.stderr, done.stdout.strip()) == ("", "[]")


def test_layout_and_comments_make_no_other_challenge_but_content_does():
    plain, spaced = parse(FILE, "a"), parse(f"# as before\n{FILE}\n\n", "b")
    assert plain.id == spaced.id
    assert parse(FILE.replace('"macro"', '"micro"'), "c").id != plain.id


def test_two_files_of_one_id_are_not_mixed_up():
    first, second = (library.of_text(FILE.replace('"macro"', f'"{how}"'), "x") for how in ("macro", "micro"))
    assert first.id.split("@")[0] == second.id.split("@")[0] == "cells"
    assert scoring.load_challenge(first.id) is first
    assert scoring.load_challenge(second.id) is second
    with pytest.raises(KeyError):
        scoring.load_challenge("cells@0123456789")


def test_the_schema_has_the_keys_and_words_that_the_parser_knows():
    of_schema = SCHEMA["properties"]
    assert set(of_schema) == set(KEYS[""])
    for section in ("truth", "predictions", "score", "subgroups", "ranking", "cite"):
        keys = of_schema[section]["properties"]
        assert set(keys) == set(KEYS[section]), section
        for key, kind in KEYS[section].items():
            allowed = keys[key].get("enum") or ([keys[key]["const"]] if "const" in keys[key] else None)
            assert allowed == (kind if isinstance(kind, list) else None), key
    assert of_schema["task"]["enum"] == KEYS[""]["task"] == list(declaration.TASKS) == list(TASKS)


@pytest.mark.parametrize("file", list(library.known()), ids=lambda file: file.name)
def test_the_gallery_fits_the_schema(file):
    text = file.path.read_text(encoding="utf-8")
    assert list(VALIDATOR.iter_errors(tomllib.loads(text))) == []
    assert len(text.splitlines()) <= 40
    assert file.declaration.about.source.startswith("https://")
    assert file.declaration.about.id == file.name


@pytest.mark.parametrize("name", ["key", "top key", "no title", "id", "task", "twice", "number", "many"])
def test_the_schema_refuses_what_it_can_see(name):
    old, new, *_ = BAD[name]
    assert list(VALIDATOR.iter_errors(tomllib.loads(FILE.replace(old, new))))


def test_the_command_line_refuses_with_status_2(tmp_path):
    path = tmp_path / "cells.toml"
    path.write_text(FILE.replace('"f1"', '"f9"'))
    truth = tmp_path / "truth.csv"
    truth.write_text("image,class\n1,a\n")
    done = run("score", path, "--truth", truth, "--predictions", truth)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("error unknown-metric cells.toml:14: score.metric: 'f9' is not a metric")


ODD = (
    *(0, -1, 1.5, True, "", [], {}, "x" * 300, ["a"], [1], [[]], {"a": 1}, [{"metric": "f1"}], [{}]),
    *("macro", "auc", float("nan"), float("inf"), "classes", {"metric": "dice"}, "\x00", "a\nb", 10**400),
    *(["a", "a"], "worst", *TASKS),
)


def places(value, path=()):
    """The path of every value in a tree."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if value else ():
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))
        yield (*path, key)


@pytest.mark.parametrize("file", list(library.known()), ids=lambda file: file.name)
def test_files_with_odd_values_are_read_or_refused_and_never_break(file):
    random = Random(file.name)
    for _ in range(60):
        tree = tomllib.loads(file.path.read_text(encoding="utf-8"))
        for _ in range(random.choice((1, 1, 2, 4))):
            *path, last = random.choice([path for path in places(tree) if path])
            holder = tree
            for key in path:
                holder = holder[key]
            holder[last] = copy.deepcopy(random.choice(ODD))
        declaration, wrong = outcome(parse_tree, tree, "odd.toml")
        assert (declaration is None) == bool(wrong)
        if declaration is not None:
            challenge_of(declaration)


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("title = Cells", "Write texts in quotes"),
        ('title: "Cells"', "Write key = value"),
        ('classes = ["a" "b"]', "Put a comma between entries"),
        ('title = "Cells', "Close the text"),
        ('title = "c:\\data"', "single quotes"),
        ("[truth", "as many brackets"),
        ("title = 1 task = 2", "one key = value per line"),
        ('id = "again"', "Keep one of the keys"),
    ],
)
def test_toml_that_cannot_be_read_is_mended_in_plain_words_at_its_line(line, advice):
    (problem,) = problems(f'id = "cells"\n{line}\n')
    assert (problem.code, problem.where) == ("bad-toml", "cells.toml:2")
    assert advice in problem.message


def test_keys_beside_an_unknown_metric_are_listed_in_one_order():
    text = FILE.replace(SCORE, 'metric = "f9"\nzzzz = 1')
    (listing,) = (p.message for p in problems(text) if p.code == "unknown-key")
    assert "Known keys: metric, parts, average, class, beta" in listing


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('metric = "mae"', 'metrc = "mae"', "Did you mean metric in place of metrc?"),
        (
            'metric = "mae"',
            'metric = "mae"\nparts = [{metric = "mae"}]',
            "give metric or parts, not both",
        ),
        ('title = "T"', 'title = "T\0"', "it holds NUL characters: save it as plain text"),
        ('title = "T"', 'title = "T"' + " " * 300_000, "it has more than 256,000 bytes"),
        ('task = "regression"', 'task = "segmentation"\n[regions]\ntz = [0]', "0 is the background"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_its_mend(before, after, said):
    text = 'id = "t"\ntitle = "T"\ntask = "regression"\n[score]\nmetric = "mae"\n'.replace(before, after)
    with pytest.raises(InputRefused, match=re.escape(said)):
        parse(text.encode()[: LARGEST + 1], "t.toml")
