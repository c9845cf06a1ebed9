"""The page contract: what every challenge's page does, with the facts of `page_facts`. Scores, problems and
intervals are those of the command line and of the challenge for the same files."""

import re

import pytest

import scoring
from pages.input_widgets.option_widgets import values_by_label
from scoring.challenges import samples
from scoring.common import text
from scoring.presentation.figures.number_format import span
from tests.pages.page_facts import ANYWHERE, FACTS, SAMPLES
from tests.support import golden, visits
from tests.support.command_line import run
from tests.support.payloads import PAYLOADS
from tests.support.thinned import some, some_rows
from tests.support.visits import sample_card, take_fix, words

GOLDEN = [
    (folder, golden.described(folder))
    for folder in golden.CASES
    if golden.described(folder)["arguments"][0] == "score"
]
EVERY_TAB = 4
"""`make test` opens one tab in so many of each submission, beginning with another one at each."""
EVERY_TEAM = 3
"""`make test` opens one sample team in so many."""
EVERY_GOLDEN = 3
"""`make test` opens one golden file in so many: the command line scores them all (tests/golden)."""


def named(folder) -> str:
    return golden.name_of(folder).replace("/", "-")


def test_every_challenge_with_views_of_its_own_has_a_contract():
    assert set(FACTS) == {name for name in scoring.challenge_ids() if own_views(name)}


def own_views(challenge_id: str) -> bool:
    """Return whether a challenge has views of its own, so that its tabs have questions of their own."""
    return scoring.load_challenge(challenge_id).display.views is not None


def with_tabs(rows, every: int = 1):
    """Return rows of a challenge and a submission, of which `make test` takes one in `every`, with a part of
    the tabs in `make test`, and again with the rest."""
    cases = []
    for number, (challenge_id, *row) in enumerate(rows):
        tabs = list(FACTS[challenge_id].tabs)
        few = tabs[number % EVERY_TAB :: EVERY_TAB]
        rest = [tab for tab in tabs if tab not in few]
        name = "-".join(str(getattr(part, "name", part)) for part in (challenge_id, *row))
        cases += [
            pytest.param(challenge_id, *row, few, id=name, marks=[pytest.mark.soak] * (number % every > 0)),
            pytest.param(challenge_id, *row, rest, id=f"{name}-other tabs", marks=pytest.mark.soak),
        ]
    return cases


def assert_answers(app, challenge_id: str, name: str, tabs, has_metadata: bool) -> None:
    """Each tab answers its question, and no other tab's; the headline stays."""
    headline, facts = app.metric[0].value, FACTS[challenge_id]
    questions = {text.markdown(question) for question in facts.tabs.values()}
    for tab in tabs:
        visits.open_tab(app, tab)
        assert not app.exception
        assert not app.error
        assert [metric.value for metric in app.metric if metric.label != "official"] == [headline]
        asked = {re.sub(r"(\?) [\d,]+$", r"\1", heading.value) for heading in app.header} & questions
        silent = (name, tab) in facts.silent or (not has_metadata and tab in facts.of_metadata)
        assert asked == (set() if silent else {text.markdown(facts.tabs[tab])}), tab


@pytest.mark.parametrize(
    ("challenge_id", "sample", "team", "tabs"),
    with_tabs(((name, *row) for name in FACTS for row in SAMPLES[name]), EVERY_TEAM),
)
def test_a_sample_team_has_the_score_of_the_command_line_and_answers_in_every_tab(
    opened, challenge_id, sample, team, tabs
):
    chosen = samples.test_sets(challenge_id)[sample]
    submission = chosen.submissions[team]
    options = [
        part for name, value in submission.options.items() for part in (f"--{name.replace('_', '-')}", value)
    ]
    card = golden.scored(challenge_id, chosen.path, "--predictions", submission.path, *options)
    app = visits.finished(opened(challenge_id, set=sample, submission=team, **FACTS[challenge_id].address))
    visits.assert_scored(app, challenge_id, card["score"])
    assert_answers(app, challenge_id, team, tabs, has_metadata=True)


@pytest.mark.parametrize("challenge_id", FACTS)
def test_it_opens_on_the_first_sample_with_all_its_tabs(opened, challenge_id):
    app, (sample, team) = opened(challenge_id), SAMPLES[challenge_id][0]
    assert app.selectbox(key=f"{challenge_id}_set").value == sample
    assert app.selectbox(key=f"{challenge_id}_submission").value == team
    assert [tab.label for tab in app.tabs] == [*FACTS[challenge_id].tabs, "History"]


@pytest.mark.parametrize(
    ("challenge_id", "address"),
    some_rows(
        [(name, address) for name, facts in FACTS.items() for address in (*ANYWHERE, *facts.tampered)], 8
    ),
)
def test_an_address_that_was_tampered_with_opens_the_sample(opened, challenge_id, address):
    app = opened(challenge_id, **address)
    assert not app.exception
    assert [metric.label for metric in app.metric][1:] in ([], ["official"])
    assert "not the challenge's rule" not in words(app)


@pytest.mark.parametrize(
    ("challenge_id", "option", "value"),
    some_rows(
        [
            (name, option, value)
            for name, facts in FACTS.items()
            for option in facts.choices
            for value in values_by_label(scoring.load_challenge(name).option(option)).values()
        ],
        4,
    ),
)
def test_an_option_scores_in_place_and_by_a_link(opened, challenge_id, option, value):
    declared = scoring.load_challenge(challenge_id).option(option)
    label = next(label for label, chosen in values_by_label(declared).items() if chosen == value)
    sample, team = SAMPLES[challenge_id][-1]
    card = sample_card(challenge_id, team, sample, **{option: value})
    app = opened(challenge_id, set=sample, submission=team)
    widget = next(box for box in (*app.selectbox, *app.segmented_control) if box.key == option)
    widget.set_value(label if label in widget.options else value).run()
    linked = opened(challenge_id, set=sample, submission=team, **{option: label})
    for page in (app, linked):
        visits.assert_scored(page, challenge_id, card.score)
        assert span(card.intervals["score"], 3) in str(page.metric[0].proto)


@pytest.mark.parametrize(
    ("challenge_id", "folder", "tabs"),
    with_tabs(
        (
            (folder.parent.name, folder)
            for folder, case in GOLDEN
            if case["exit"] == 0 and "--model" not in case["arguments"]
        ),
        EVERY_GOLDEN,
    ),
)
def test_golden_files_have_the_official_score_and_answers_in_every_tab(opened, challenge_id, folder, tabs):
    expected = golden.described(folder)["expect"]
    app = visits.put(
        challenge_id,
        opened(challenge_id, **golden.address(folder), **FACTS[challenge_id].address),
        *golden.uploads(folder),
    )
    options = golden.options(folder)
    if options.get("--missing") == "wrong":
        assert f"{expected['n_missing']} problems" in app.error[0].proto.title
        app = take_fix(app, "as wrong")
    if size := options.get("--model-size-mib"):
        app.number_input[0].set_value(float(size)).run()
    visits.assert_scored(app, challenge_id, expected["score"], within=1e-12)
    assert_answers(app, challenge_id, folder.name, tabs, has_metadata=False)


@pytest.mark.parametrize(
    "folder", [folder for folder, case in GOLDEN if "--model" in case["arguments"]], ids=named
)
def test_a_model_on_own_images_has_the_golden_score(opened, folder):
    challenge_id = folder.parent.name
    app = visits.put(challenge_id, opened(challenge_id, tab="Preflight"), *golden.uploads(folder))
    assert not app.exception
    assert app.metric[0].value == visits.headline(challenge_id, golden.described(folder)["expect"]["score"])
    assert FACTS[challenge_id].preflight in words(app)


@pytest.mark.parametrize("folder", [folder for folder, case in GOLDEN if case["exit"] == 2], ids=named)
def test_refused_golden_files_show_every_problem(opened, folder):
    challenge_id = folder.parent.name
    app = visits.put(challenge_id, opened(challenge_id), *golden.uploads(folder))
    of_truth = visits.problems_of_truth(challenge_id, folder / golden.options(folder)["--truth"][1:])
    visits.assert_refused(app, of_truth or golden.answered(folder).json["problems"])


@pytest.mark.parametrize(
    ("challenge_id", "name"),
    some_rows([(challenge_id, name) for challenge_id, facts in FACTS.items() for name in facts.refused], 8),
)
def test_a_refused_submission_shows_every_problem_and_the_sample_is_one_click_away(
    opened, tmp_path, challenge_id, name
):
    content = FACTS[challenge_id].refused[name]
    (tmp_path / name).write_bytes(content)
    sample, _ = SAMPLES[challenge_id][0]
    kind = "--model" if name.endswith(".onnx") else "--predictions"
    truth = samples.test_sets(challenge_id)[sample].path
    refused = run("score", challenge_id, "--truth", truth, kind, tmp_path / name, "--json", "-")
    app = opened(challenge_id)
    headline = app.metric[0].value
    app = visits.put(challenge_id, app, (name, content))
    visits.assert_refused(app, refused.json["problems"])
    app = visits.finished(app.button(key=f"{challenge_id}_submission_back").click().run())
    assert not app.exception
    assert not app.error
    assert app.metric[0].value == headline
    assert not [button for button in app.button if button.label == "Back to sample"]


@pytest.mark.parametrize(
    ("challenge_id", "name"),
    some_rows(
        [(challenge_id, name) for challenge_id, facts in FACTS.items() for name in facts.refused_truths], 4
    ),
)
def test_a_refused_test_set_shows_every_problem_and_the_sample_is_one_click_away(
    opened, tmp_path, challenge_id, name
):
    content = FACTS[challenge_id].refused_truths[name]
    (tmp_path / name).write_bytes(content)
    app = visits.put(challenge_id, opened(challenge_id), None, (name, content))
    visits.assert_refused(app, visits.problems_of_truth(challenge_id, tmp_path / name))
    app.button(key=f"{challenge_id}_set_back").click().run()
    assert not app.error
    assert app.metric


@pytest.mark.parametrize(
    ("challenge_id", "payload"),
    [
        pytest.param(challenge_id, *row.values, marks=row.marks)
        for first, challenge_id in enumerate(FACTS)
        for row in some(PAYLOADS, len(PAYLOADS), 3 * first)
    ],
)
def test_foreign_names_are_shown_as_they_were_typed(opened, challenge_id, payload):
    """In a refusal, for they are no cases of the sample, and in every tab of a result. The browser tests look
    for their effects."""
    (name, submission), truth = FACTS[challenge_id].named(payload)
    name = f"{payload.replace('/', '_')}.{name.rsplit('.', 1)[-1]}"
    app = visits.put(challenge_id, opened(challenge_id), (name, submission))
    assert not app.metric
    visits.assert_inert(app)
    app = visits.put(challenge_id, app, None, truth)
    for tab in FACTS[challenge_id].tabs:
        visits.open_tab(app, tab)
        assert [metric.label for metric in app.metric][1:] in ([], ["official"])
        visits.assert_inert(app)
