"""The page as its visitors use it. What it shows is compared with what the command line says of the same
files."""

import base64
import io
import json
import re
import zipfile

import numpy as np
import pytest

import scoring
from pages.comparison import team_facts
from pages.display.finding_list import without_flags
from scoring.boards import board as boards
from scoring.boards.bundles import bundle
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.challenges import samples
from scoring.common import text
from scoring.common.findings import error, grouped
from scoring.comparison import score_units, summary_text
from scoring.presentation.figures.number_format import points
from scoring.store.database import open_store
from tests.support import visits
from tests.support.archives import archive_of
from tests.support.boards import filled
from tests.support.command_line import run
from tests.support.payloads import PAYLOADS
from tests.support.teams import lesion_outputs, lesion_truth, outputs_table
from tests.support.thinned import some, some_rows
from tests.support.visits import finished, words

NAMES = {
    "tricorder3": "TRICORDER-3",
    "melanoma": "Melanoma",
    "isic": "ISIC",
    "puma": "PUMA",
    "hecktor2026": "HECKTOR 2026",
}
COMMON = ("Ranking", "Lead", "Stability", "Other rules", "Classes", "Cases")
TABS = {
    "tricorder3": (*COMMON, "Subgroups", "Size", "Teams"),
    "melanoma": (*COMMON, "Subgroups", "Teams"),
    "isic": (*COMMON, "Subgroups", "Teams"),
    "puma": (*COMMON, "Teams"),
    "hecktor2026": (*COMMON[:3], "Orders", *COMMON[3:], "Subgroups", "Teams"),
}
EVERY_TAB = [(challenge, tab) for challenge, tabs in TABS.items() for tab in tabs]


@pytest.fixture
def page(opened):
    def open_page(challenge: str = "tricorder3", **address):
        return finished(opened("compare_teams", challenge=NAMES[challenge], **address))

    return open_page


def teams(challenge: str) -> dict:
    sample = next(iter(samples.test_sets(challenge).values()))
    return {s.title: s for s in sample.submissions.values() if not s.is_model}


def compared(challenge: str, *options: str) -> dict:
    """What the command line says of a challenge's sample teams."""
    sample = next(iter(samples.test_sets(challenge).values()))
    sizes = [
        f"--model-size-mib={name}={s.options.get('model_size_mib')}"
        for name, s in teams(challenge).items()
        if s.options.get("model_size_mib")
    ]
    metadata = [] if sample.metadata is None else ["--metadata", sample.metadata]
    sent = [f"{name}={s.path}" for name, s in teams(challenge).items()]
    return run(
        "compare", challenge, "--truth", sample.path, *sizes, *metadata, "--json", "-", *options, *sent
    ).json


def noticed(challenge: str) -> list[dict]:
    return [finding for team in compared(challenge)["teams"] for finding in team["findings"]]


def shown(app, column: str = "could hold"):
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


@pytest.mark.parametrize("challenge", NAMES)
def test_ranks_scores_and_intervals_are_those_of_the_command_line(page, challenge):
    said, table = compared(challenge), shown(page(challenge))
    scales = score_units.of(scoring.load_challenge(challenge))
    assert list(table["team"]) == [team["team"] for team in said["teams"]]
    assert list(table["rank"]) == [team["rank"] for team in said["teams"]]
    assert list(table["score"]) == pytest.approx(
        [scales.factor * team["score"] for team in said["teams"]], abs=1e-10
    )
    assert list(table["interval"]) == [scales.span(team["interval"]) for team in said["teams"]]
    places = [text.removesuffix(", tied") for text in table["could hold"]]
    assert places == [summary_text.places(team["rank_interval"]) or "–" for team in said["teams"]]
    assert list(table["won"]) == pytest.approx(
        [100 * team["share_of_resamples_won"] for team in said["teams"]]
    )


@pytest.mark.parametrize(("challenge", "tab"), some_rows(EVERY_TAB, 7))
def test_every_tab_answers_on_the_sample_teams(page, challenge, tab):
    app = page(challenge, tab=tab)
    assert not app.exception
    assert not app.error
    assert [one.label for one in app.tabs] == list(TABS[challenge])
    assert len(app.metric) == 1


@pytest.mark.parametrize("challenge", some(list(NAMES), 4))
def test_the_tied_are_said_in_words(page, challenge):
    said, found = words(page(challenge)), compared(challenge)
    if found["provenance"]["n_units"] < 20:
        assert (
            f"{found['provenance']['n_units']} cases are too few to tell teams apart: 20 are needed." in said
        )
        return
    tied = [team["team"] for team in found["teams"] if team["tied_for_first"]]
    assert f"{len(tied)} of {len(teams(challenge))}" in said
    assert ("do not show which" in said) is (len(tied) > 1)


@pytest.mark.parametrize("challenge", ["tricorder3", "hecktor2026"])
def test_no_finding_names_a_flag_of_the_command_line(page, challenge):
    assert any("--" in finding["message"] for finding in noticed("hecktor2026"))
    assert not re.search(r"(?<![\w-])--[a-z]", words(page(challenge)))


@pytest.mark.parametrize("tab", ["Ranking", "Lead", "Stability", "Other rules"])
def test_nobody_is_given_a_chance_of_being_best(page, tab):
    said = words(page(tab=tab)).lower()
    assert "probability of" not in said
    assert said.count("chance of being best") == said.count("no chance of being best")


def test_the_difference_to_the_leader_is_that_of_the_command_line(page):
    said = compared("tricorder3")
    first = said["teams"][0]["team"]
    traces = json.loads(page(tab="Lead").get("plotly_chart")[0].proto.spec)["data"]
    drawn = sorted(value for trace in traces for value in numbers(trace["x"]))
    assert drawn == pytest.approx(
        sorted(-100 * pair["difference"] for pair in said["pairs"] if pair["a"] == first)
    )


def numbers(values) -> list[float]:
    """Plotly's arrays travel packed."""
    return (
        np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()
        if isinstance(values, dict)
        else values
    )


@pytest.mark.parametrize("chosen", [["Aurora", "nobody"], ["Delphi", "Cygnus", "Borealis"]])
def test_the_address_says_which_teams_and_who_is_unknown_is_left_out(page, chosen):
    assert set(shown(page(teams=chosen))["team"]) == {*chosen} - {"nobody"}


def test_no_team_chosen(page):
    app = page()
    app.button_group(key="tricorder3_compared").set_value([]).run()
    assert not app.exception
    assert "Choose teams" in words(app)


@pytest.mark.parametrize("order", ["rank", "score"])
def test_table_and_headline_of_hecktor_follow_the_chosen_order(page, order):
    app = page("hecktor2026")
    app.selectbox(key="compared_order").set_value(
        {"rank": "weighted ranks", "score": "weighted score"}[order]
    )
    finished(app.run())
    told, said = compared("hecktor2026", "--order", order), words(app)
    assert list(shown(app)["team"]) == [team["team"] for team in told["teams"]]
    assert ("Lead over Umbra" in said, "Lead over Altair" in said) == (order == "rank", order == "score")
    assert ("weighted rank 1.35, then 2.15" in said) is (order == "rank")
    assert ("Teams are ordered by weighted ranks" in said) is (order == "rank")
    assert "never altered" not in said


def test_both_orders_side_by_side(page):
    said, app = compared("hecktor2026"), page("hecktor2026", tab="Orders")
    table = shown(app, "by score").set_index("team")
    assert table["by rank"].to_dict() == {
        team["team"]: team["rank_by_weighted_rank"] for team in said["teams"]
    }
    assert table["by score"].to_dict() == {team["team"]: team["rank_by_score"] for team in said["teams"]}
    columns = next(frame.proto.columns for frame in app.dataframe if "by score" in frame.value.columns)
    formats = {
        name: told["type_config"]["format"]
        for name, told in json.loads(columns).items()
        if name.endswith(" rank") and name != "by rank"
    }
    assert formats == {
        "segmentation rank": "%.0f",
        "staging rank": "%.0f",
        "prognosis rank": "%.0f",
        "weighted rank": "%.2f",
    }
    gone = shown(app, "without").set_index("without")["first"].to_dict()
    assert gone == {entry["without"]: ", ".join(entry["first"]) for entry in said["leave_one_team_out"]}
    assert not any(entry["swapped"] for entry in said["leave_one_team_out"])
    assert "No single withdrawal would change the order of the other teams" in words(app)
    for a, b in said["orderings_disagree"]:
        assert f"{a}** and **{b}" in words(app)


@pytest.mark.parametrize(
    ("challenge", "key", "value", "option"),
    [
        ("isic", "metric", "macro F1", ("--metric", "dice")),
        ("puma", "rules", "pooled", ("--rules", "pooled")),
    ],
)
def test_what_is_chosen_for_all_teams(page, challenge, key, value, option):
    app = page(challenge)
    app.selectbox(key=f"compared_{key}").set_value(value)
    finished(app.run())
    said = compared(challenge, *option)
    assert dict(zip(shown(app)["team"], shown(app)["score"], strict=True)) == pytest.approx(
        {t["team"]: t["score"] for t in said["teams"]}, abs=1e-10
    )


def drop(app, name: str, content: bytes, kind: str = "files", challenge: str = "tricorder3"):
    app.file_uploader(key=f"{challenge}_teams_{kind}").upload(name, content).run()
    return finished(app)


def own_set(page, sent: dict[str, float], seed: int = 0):
    """An own test set of 44 cases with a zip of teams by name, each of a skill."""
    random, labels = np.random.default_rng(seed), np.arange(44) % 11
    app = page()
    app.file_uploader(key="tricorder3_set_files").upload("truth.csv", lesion_truth(labels)).run()
    assert "Choose teams, or drop their files." in words(app)
    content = archive_of(
        {f"{name}.csv": outputs_table(lesion_outputs(random, labels, skill)) for name, skill in sent.items()}
    )
    return drop(app, "teams.zip", content, kind="zip_files")


def test_a_dropped_team_joins_the_samples(page):
    path = teams("tricorder3")["Delphi"].path
    app = drop(page(), "own.csv", path.read_bytes())
    table = shown(app).set_index("team")
    assert len(table) == len(teams("tricorder3")) + 1
    assert table.loc["own", "accuracy"] == table.loc["Delphi", "accuracy"]
    assert "identical-submissions" in words(app)


def test_a_zip_holds_a_team_per_entry(page):
    content = archive_of(
        {
            "one.csv": teams("tricorder3")["Delphi"].path.read_bytes(),
            "two.csv": teams("tricorder3")["Aurora"].path.read_bytes(),
        }
    )
    app = drop(page(), "teams.zip", content, kind="zip_files")
    assert {"one", "two"} <= set(shown(app)["team"])


def test_a_refused_team_is_named_with_every_problem_and_the_others_go_on(page, tmp_path):
    lines = teams("tricorder3")["Delphi"].path.read_bytes().splitlines(keepends=True)
    path = tmp_path / "broken.csv"
    path.write_bytes(b"".join([*lines[:100], lines[5], lines[7]]))
    sample = next(iter(samples.test_sets("tricorder3").values()))
    problems = run("score", "tricorder3", "--truth", sample.path, "--predictions", path, "--json", "-").json[
        "problems"
    ]
    assert len(problems) > 1
    app = drop(page(), path.name, path.read_bytes())
    assert "broken" in app.error[0].value
    for code in {problem["code"] for problem in problems}:
        assert code in words(app)
    assert "broken: broken.csv" in words(app)
    assert not app.metric
    app.toggle(key="without_refused").set_value(True)
    finished(app.run())
    assert sorted(shown(app)["team"]) == sorted(teams("tricorder3"))
    assert not app.error
    reasons = shown(app, "problem")
    folds = grouped(error(one["code"], one["where"], one["message"]) for one in problems)
    assert list(reasons["problem"]) == [without_flags(fold.message) for fold in folds]
    assert len(folds) < len(problems)
    assert set(reasons["team"]) == {"broken"}
    assert "excluded-submission" in words(app)


def test_a_refused_team_is_mended_by_a_click_and_that_is_undone(page):
    data = teams("tricorder3")["Delphi"].path.read_bytes()
    header, _, rows = data.partition(b"\n")
    app = drop(page(), "theirs.csv", header.replace(b",", b",prob_") + b"\n" + rows)
    assert "theirs" in app.error[0].value
    app = finished(visits.take_fix(app, "Read columns without"))
    table = shown(app).set_index("team")
    assert table.loc["theirs", "score"] == table.loc["Delphi", "score"]
    assert "theirs.csv is fixed: Read columns without “prob_”." in words(app).replace("*", "")
    app = finished(next(button for button in app.button if button.label == "Undo").click().run())
    assert "theirs" in app.error[0].value


def test_class_names_of_a_team_are_chosen_in_the_comparison_and_the_command_line_takes_the_map(
    page, tmp_path
):
    packed = io.BytesIO()
    with zipfile.ZipFile(teams("puma")["Rigel"].path) as files, zipfile.ZipFile(packed, "w") as made:
        for name in files.namelist():
            made.writestr(name, files.read(name).replace(b'"nuclei_lymphocyte"', b'"Immune cells"'))
    app = drop(page("puma"), "theirs.zip", packed.getvalue(), challenge="puma")
    assert "theirs" in app.error[0].value
    box = next(box for box in app.selectbox if box.label.startswith("Immune cells"))
    app = finished(box.set_value("lymphocytes").run())
    table = shown(app).set_index("team")
    assert table.loc["theirs", "score"] == table.loc["Rigel", "score"]
    (tmp_path / "theirs.zip").write_bytes(packed.getvalue())
    sent = (f"theirs={tmp_path / 'theirs.zip'}", f"rigel={teams('puma')['Rigel'].path}")
    mapped = ("--class-map", "Immune cells=lymphocytes", "--resamples", 0, "--json", "-")
    done = run(
        "compare", "puma", "--truth", next(iter(samples.test_sets("puma").values())).path, *mapped, *sent
    )
    assert len({team["score"] for team in done.json["teams"]}) == 1


def tell(app, **texts: dict[str, str]):
    """What was typed into the table of teams, by team and fact."""
    app.session_state["_facts_tricorder3"] = team_facts.Typed(texts=texts)
    return app.run()


def test_facts_of_teams_count_and_an_unknown_size_is_said_in_the_headline(page):
    app = page()
    before = shown(app).set_index("team")
    assert not app.warning
    app = finished(tell(app, Borealis={"size_mib": "", "institution": "Uni B"}, Aurora={"size_mib": "150"}))
    after = shown(app).set_index("team")
    said = [one.value.replace("\\", "") for one in app.warning]
    assert any(one.startswith("Efficiency assumed for 1 of 5 teams.") for one in said)
    assert after.loc["Borealis", "score"] - before.loc["Borealis", "score"] == pytest.approx(4.64)
    assert after.loc["Aurora", "score"] - before.loc["Aurora", "score"] == pytest.approx(-10)


def test_an_edit_that_cannot_be_is_refused_at_its_field(monkeypatch):
    edits = {0: {"size_mib": "-3", "institution": "Uni A"}, 1: {"method": "<b>"}, 2: {"size_mib": "9"}}
    session = {"editor": {"edited_rows": edits}}
    monkeypatch.setattr(team_facts.st, "session_state", session)
    team_facts._changed("isic", "editor", ["a", "b", "model"], {"model": 3.0})
    typed = team_facts.typed("isic")
    assert typed.texts == {"a": {"institution": "Uni A"}}
    assert set(typed.refused) == {("a", "size_mib"), ("b", "method"), ("model", "size_mib")}
    assert "-3 is not a size" in team_facts._sentences(typed, "a")
    assert "The model's file has 3.00 MiB" in team_facts._sentences(typed, "model")
    session["editor"] = {"edited_rows": {0: {"size_mib": "3"}, 1: {"method": None}}}
    team_facts._changed("isic", "editor", ["a", "b", "model"], {"model": 3.0})
    assert typed.texts == {"a": {"institution": "Uni A", "size_mib": "3"}, "b": {"method": ""}}
    assert set(typed.refused) == {("model", "size_mib")}


def test_an_own_test_set_has_no_sample_teams(page):
    assert list(shown(own_set(page, {"good": 3, "poor": 0.1}))["team"]) == ["good", "poor"]


@pytest.mark.parametrize("count", [2, 20])
def test_many_teams_are_drawn_in_part_and_any_other_on_demand(page, count):
    app = own_set(page, {f"t{k:02d}": 0.2 * k for k in range(count)})
    assert len(shown(app)) == count
    if count > 15:
        found = app.text_input(key="find_team").set_value("T19").run()
        assert list(shown(found)["team"]) == ["t19"]
        assert f"1 of {count} teams." in words(found)
        app.text_input(key="find_team").set_value("").run()
        assert f"The first 15 of {count} teams are drawn" in words(app)
        last = app.selectbox(key="team").options[-1]
        app.selectbox(key="team").set_value(last)
        assert f"16 of {count} teams are drawn: the first and the chosen one" in words(app.run())


def test_equal_files_of_other_names_are_other_teams(page):
    content = teams("tricorder3")["Delphi"].path.read_bytes()
    app = drop(
        page(teams=["Aurora"]),
        "teams.zip",
        archive_of({"one.csv": content, "two.csv": content}),
        kind="zip_files",
    )
    assert set(shown(app)["team"]) == {"Aurora", "one", "two"}
    assert "identical-submissions" in words(app)


def test_equal_names_are_told_apart(page):
    path = teams("tricorder3")["Delphi"].path
    app = drop(page(), "Aurora.csv", path.read_bytes())
    assert {"Aurora", "Aurora 2"} <= set(shown(app)["team"])


@pytest.mark.parametrize("payload", some(PAYLOADS, 9, 1))
def test_names_of_strangers_are_shown_as_they_were_typed(page, payload):
    """Without what nobody sees. The browser tests look for their effects."""
    stem = payload.replace("/", "_").replace("\n", " ").removesuffix(".csv")
    app = drop(page(teams=["Aurora"]), f"{stem}.csv", teams("tricorder3")["Delphi"].path.read_bytes())
    assert not app.exception
    seen = stem.replace("\u202e", "").replace("\u200b", "")
    assert seen in set(shown(app)["team"])
    assert text.shortened(seen) in words(app)


@pytest.mark.parametrize(
    "mode", ["only one team right", "one right, another wrong", "all wrong, one of them sure"]
)
def test_disagreements_of_cases(page, mode):
    app = page(tab="Cases", case_kind=mode)
    assert not app.exception
    assert any(mode.capitalize() in header.value.replace("\\", "") for header in app.header)


def test_the_official_weights_give_the_official_scores(page):
    app = page("melanoma", tab="Other rules")
    assert "The official weights" in words(app)
    app.slider(key="parameter_melanoma_beta").set_value(0.5).run()
    assert not app.exception
    assert "Changed: beta of F 0.5" in words(app)
    app.button(key="parameters_back").click().run()
    assert "The official weights" in words(app)


def test_weights_that_sum_to_nothing(page):
    app = page("hecktor2026", tab="Other rules")
    for part in ("segmentation", "staging", "c_index"):
        app.slider(key=f"parameter_hecktor2026_{part}").set_value(0.0)
    app.run()
    assert not app.exception
    assert "no score is defined" in words(app)


def test_a_page_adds_to_the_comparison(opened):
    app = opened("tricorder3")
    app.file_uploader(key="tricorder3_submission_files").upload(
        "mine.csv", teams("tricorder3")["Delphi"].path.read_bytes()
    ).run()
    finished(app)
    app.number_input[0].set_value(120.0).run()
    app.button(key="add_to_comparison").click().run()
    assert not app.exception
    app = finished(app.switch_page("../compare_teams.py").run())
    table = shown(app).set_index("team")
    assert points(table.loc["mine", "score"] / 100) == points(table.loc["Delphi", "score"] / 100 - 0.07)


@pytest.mark.parametrize(
    ("metric", "test"), [("accuracy", "McNemar, exact"), ("f1_malignant", "chance was not assessed")]
)
def test_pairs_by_another_metric_have_their_own_test(page, metric, test):
    app = page(tab="Lead", pairs_metric=metric)
    app.selectbox(key="pairs_metric").set_value(metric).run()
    assert not app.exception
    assert test in words(app)


def test_a_case_shows_what_every_team_made_of_it(page):
    app = page(tab="Cases")
    case = app.selectbox(key="case").options[-1]
    app.selectbox(key="case").set_value(case).run()
    table = shown(app, "called").set_index("team")
    sample = next(iter(samples.test_sets("tricorder3").values()))
    challenge = scoring.load_challenge("tricorder3")
    truth = challenge.read_truth(sample.path)
    for name, team in teams("tricorder3").items():
        card = challenge.score(truth, challenge.read_predictions(team.path, truth), resamples=0)
        row = next(row for row in card.cases if row["case"] == case)
        assert (table.loc[name, "called"], table.loc[name, "right"]) == (
            row["predicted"],
            float(row["correct"]),
        )


def test_a_dropped_board_is_compared_on_its_own_test_set(page, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    filled(tmp_path)
    board = boards.opened(open_store(), "b")
    app = page("melanoma")
    uploader = app.file_uploader(key="melanoma_teams_zip_files")
    finished(uploader.upload("b.zip", bundle.export(board, with_truth=True)).run())
    assert not app.exception
    assert "60 cases were read from the test set of the dropped board" in words(app)
    table = next(frame.value for frame in app.dataframe if "team" in frame.value)
    assert sorted(table["team"]) == ["alpha", "beta"]
    assert [points(one.score) for one in board_ranking(board).counting.values()] == [
        points(score / 100) for score in table.set_index("team").loc[["alpha", "beta"], "score"]
    ]


def test_a_board_of_another_challenge_is_said(page, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    filled(tmp_path)
    data = bundle.export(boards.opened(open_store(), "b"), with_truth=False)
    app = page()
    app.file_uploader(key="tricorder3_teams_zip_files").upload("b.zip", data).run()
    assert "this is a board of Melanoma" in words(finished(app))
