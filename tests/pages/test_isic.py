"""The page as its visitors use it. What it shows is compared with what the command line and the challenge say
of the same files."""

import re
from functools import partial

import pytest

import scoring
from scoring.challenges.isic import card_summary, thresholds
from scoring.challenges.isic.official_rejections import message as official_message
from scoring.presentation.figures.number_format import decimal, share, span
from tests.support import category_tables, visits
from tests.support import golden as golden_cases
from tests.support.lesion_tables import table
from tests.support.visits import sample_card, shown_table, words, written

CHALLENGE = scoring.load_challenge("isic")

put = partial(visits.put, "isic")
scorecard = partial(sample_card, "isic")


@pytest.fixture
def isic(opened):
    return lambda **address: opened("isic", **address)


def golden(name: str):
    """Predictions, truth and what is expected of them."""
    folder = golden_cases.FOLDER / "isic" / name
    return *golden_cases.uploads(folder), golden_cases.described(folder)


def test_the_page_rule_is_offered_where_a_score_is_half_and_changes_what_the_scorer_says(isic):
    assert not [box for box in isic(submission="juno").selectbox if box.key == "rules"]
    predictions, truth, case = golden("milk10k-page-rule")
    app = put(isic(metric="macro F1", tab="Categories"), predictions, truth)
    assert app.selectbox(key="rules").value == "above 0.5, official"
    before = app.metric[0].value
    assert "categories' F1, positive above 0.5**" in words(app)
    app.selectbox(key="rules").set_value("0.5 and above, MILK10k page").run()
    assert app.metric[0].value == share(case["expect"]["score"]) != before
    rows = shown_table(app, "sensitivity").set_index("category")["sensitivity"]
    expected = {name: entry["sensitivity"] for name, entry in case["expect"]["per_class"].items()}
    assert {
        name.removeprefix("▲ "): value for name, value in rows.items() if name != "mean"
    } == pytest.approx(expected)
    assert "counts 0.5 itself as positive" in words(app)
    assert "categories' F1, positive at or above 0.5**" in words(app)


def test_the_categories_table_holds_every_measure_and_mean(isic):
    card, app = scorecard("lyra", "isic2019"), isic(submission="lyra")
    rows = shown_table(app, "recall")
    for row, (name, entry) in zip(rows.itertuples(), card.per_class.items(), strict=False):
        assert row.category.removeprefix("▲ ") == name
        assert row.n == f"{entry['support']}{'*' * (entry['support'] < 15)}"
        for measure in (
            "recall",
            "sensitivity",
            "specificity",
            "accuracy",
            "f1",
            "auc",
            "auc_sens_80",
            "average_precision",
        ):
            assert getattr(row, measure) == entry[measure]
        for measure in ("ppv", "npv"):
            assert getattr(row, measure).endswith(share(entry[measure]))
    assert list(rows["ppv"])[7] == "by rule 1.000"
    assert list(rows["ppv"])[-1] == f"part by rule {share(card.metrics['macro_ppv'])}"
    assert rows["recall"].iloc[-1] == card.score
    assert rows["auc"].iloc[-1] == card.metrics["macro_auc"]


def test_an_absent_category_is_in_no_mean_and_says_so(isic):
    predictions, truth, case = golden("absent-class")
    app = put(isic(), predictions, truth)
    absent = [name for name, entry in case["expect"]["per_class"].items() if entry["support"] == 0]
    rows = shown_table(app, "recall").set_index("category")
    assert absent
    assert list(rows.loc[absent, "n"]) == ["0, absent"] * len(absent)
    assert rows.loc[absent, "recall"].isna().all()
    assert "The official scorer stops with an error" in words(app)
    assert "in every digit" not in words(app)


def test_a_class_of_another_test_set_gives_way(isic):
    app = isic(set="isic2019", submission="juno", tab="Cases", of_truth="UNK", of_called="SCC")
    app.selectbox(key="isic_set").set_value("isic2018").run()
    assert not app.exception
    assert app.selectbox(key="of_truth").value in app.selectbox(key="of_truth").options


def test_another_malignant_grouping_has_the_auc_of_the_scorer(isic):
    app = isic(submission="meridian", tab="Curves")
    assert app.multiselect(key="malignant").value == ["MEL", "BCC", "AK", "SCC"]
    card = scorecard("meridian", "isic2019")
    assert span(card.intervals["malignant_auc"], 3) in words(app)
    for grouping in (["MEL"], ["MEL", "UNK"], ["NV", "DF"]):
        app.multiselect(key="malignant").set_value(grouping).run()
        expected = scorecard("meridian", "isic2019", malignant=tuple(grouping), resamples=0).metrics[
            "malignant_auc"
        ]
        assert f"**{share(expected)}** :small[:gray[your grouping]]" in words(app)
    app.multiselect(key="malignant").set_value([]).run()
    assert not app.exception
    assert "**–** :small[:gray[your grouping]]" in words(app)


def test_thresholds_give_what_the_scorer_says(isic):
    card = scorecard("polaris", "isic2018")
    app = isic(set="isic2018", submission="polaris", tab="Thresholds")
    chosen = {"MEL": 0.2, "NV": 0.7, "DF": 0.035}
    for name, value in chosen.items():
        app.slider(key=f"cut_{name}").set_value(value)
    app.run()
    found = thresholds.at(card, chosen)
    rows = written(app, "threshold")
    assert [row[1] for row in rows] == [share(chosen.get(name, 0.5)) for name in card.per_class]
    for (category, _, *values), (name, entry) in zip(rows, found["per_class"].items(), strict=True):
        assert category.endswith(name)
        assert values == [share(entry[measure]) for measure in thresholds.SHOWN]
    assert f"**{share(found['macro_f1'])}** :small[:gray[{share(card.metrics['macro_f1'])} at 0.5]]" in words(
        app
    )
    assert (
        f"**{share(found['balanced_accuracy'])}** "
        f":small[:gray[{share(card.metrics['balanced_accuracy'])} before rescaling]]"
    ) in words(app)
    visits.assert_scored(app, "isic", card.score)


def test_the_three_macro_f1s_stand_side_by_side_with_a_warning(isic):
    found = thresholds.compared(scorecard("lyra", "isic2019"))
    said = words(isic(submission="lyra", tab="Thresholds"))
    assert f"**{share(found['cross_validated'])}** :small[:gray[use this estimate]]" in said
    assert (
        f"**{share(found['same_rows'])}** :small[:gray[▲ too high: "
        "the thresholds were chosen on the rows that are scored]]" in said
    )
    assert f"**{decimal(found['cross_validated'] - found['half'], 3, sign=True)}**" in said


def test_the_best_thresholds_and_back(isic):
    card = scorecard("lyra", "isic2019")
    app = isic(submission="lyra", tab="Thresholds")
    app.button(key="to_best").click().run()
    best = thresholds.best(card)
    assert {name: app.slider(key=f"cut_{name}").value for name in best} == best
    assert (
        f"**{share(thresholds.compared(card)['same_rows'])}** "
        f":small[:gray[{share(card.metrics['macro_f1'])} at 0.5]]"
    ) in words(app)
    app.button(key="to_half").click().run()
    assert {app.slider(key=f"cut_{name}").value for name in best} == {0.5}


def test_own_metadata_give_the_subgroups_of_the_scorer_and_go_again(isic):
    rows = [[name, "f" if i % 2 else "m", 30 + 20 * i] for i, name in enumerate(category_tables.IDS)]
    metadata = table(("isic_id", "sex", "age"), *rows)
    files = ("told.csv", category_tables.predictions()), ("truth.csv", category_tables.truth())
    app = put(isic(tab="Subgroups"), *files)
    assert "The submission has no age" in words(app)
    app.file_uploader(key="isic_metadata_files").upload("about.csv", metadata).run()
    assert not app.exception
    truth = CHALLENGE.read_truth(category_tables.truth())
    slices = CHALLENGE.score(
        truth, CHALLENGE.read_predictions(category_tables.predictions(), truth), metadata=metadata
    ).more["slices"]
    assert f"{sum(map(len, slices.values()))} groups were compared" in words(app)
    app.button(key="isic_metadata_back").click().run()
    assert "The submission has no age" in words(app)
    app.file_uploader(key="isic_metadata_files").upload("strange.csv", b"isic_id,sex\nnobody,m\n").run()
    assert "no-common-case" in words(app)
    assert "strange.csv" in words(app)


def test_intervals_are_by_patient_where_the_sample_names_them(isic):
    assert "(one per patient_id)" in words(isic())


def test_files_that_the_official_scorer_refuses_are_mended(isic):
    predictions, truth, _ = golden("tolerated-file")
    app = put(isic(tab="Preflight"), predictions, truth)
    said = official_message(predictions[1], truth[1])
    assert said[:60] in words(app)
    assert "It would **refuse the files**" in words(app)
    badge = _card(predictions, truth).official.badge()
    assert re.fullmatch(r"official after \d changes: download the changed file", badge)
    assert f":orange-badge[▲ {badge}]" in words(app)
    assert [
        f.code for f in card_summary.to_fix(_card(predictions, truth)) if f"**{f.code}** " not in words(app)
    ] == []
    mended = card_summary.fixed_predictions(_card(predictions, truth), "image").encode()
    assert official_message(mended, truth[1]) is None
    assert "It **accepts both files**" in words(put(app, ("mended.csv", mended)))


def _card(predictions, truth):
    answers = CHALLENGE.read_truth(truth[1])
    return CHALLENGE.score(answers, CHALLENGE.read_predictions(predictions[1], answers), resamples=0)


def test_columns_that_may_be_swapped_are_said(isic):
    predictions, truth, _ = golden("swapped-columns")
    assert "would raise balanced accuracy by" in words(put(isic(tab="Preflight"), predictions, truth))
    assert "No exchange of columns" in words(isic(tab="Preflight"))


def test_beside_all_problems_stands_the_one_message_of_the_official_scorer(isic):
    predictions, truth, case = golden("refused-predictions")
    app = put(isic(), predictions, truth)
    assert f"{len(case['expect']['problems'])} problems" in app.error[0].proto.title
    message = official_message(predictions[1], truth[1])
    assert f"The official scorer would report only this: “{message}”" in words(app)


def test_ten_thousand_cases_of_a_label_are_all_found_by_it(isic):
    labels = tuple(category_tables.LABELS[i % 6] for i in range(10_000))
    ids = tuple(f"ISIC_{i:07d}" for i in range(10_000))
    files = (
        ("told.csv", category_tables.predictions(ids, labels)),
        ("truth.csv", category_tables.truth(ids, labels)),
    )
    app = put(isic(tab="Cases", of_truth="NV", of_called="NV"), *files)
    assert f"Which cases? {labels.count('NV')} of 10000" in words(app)
