"""The page as its visitors use it. What it shows is compared with what the command line and the challenge say
of the same files."""

import io
import json
import re
import zipfile
from functools import partial

import numpy as np
import pytest

import scoring
from scoring.challenges import samples
from scoring.challenges.puma import nuclei_listing
from scoring.challenges.puma.formula import RULE_NAMES
from scoring.presentation.figures.number_format import decimal, share, span
from tests.challenges.puma.drawn import realistic
from tests.pages.page_facts import FACTS
from tests.support import nuclei_lists, visits
from tests.support.archives import archive_of
from tests.support.nuclei_lists import CLASSES, RULES, nucleus, numbered
from tests.support.thinned import some
from tests.support.visits import open_tab, sample_card, shown_table, take_fix, words

CHALLENGE = scoring.load_challenge("puma")
SAMPLE = samples.test_sets("puma")["sample"]

put = partial(visits.put, "puma")
scorecard = partial(sample_card, "puma")


@pytest.fixture(scope="module")
def truth():
    return CHALLENGE.read_truth(SAMPLE.path)


@pytest.fixture
def puma(opened):
    return lambda **address: opened("puma", **address)


def lists(images) -> tuple[tuple[str, bytes], tuple[str, bytes]]:
    """Predictions and truth of images in plain lists, as uploads."""
    true, found = (archive_of(nuclei_lists.files(numbered(side))) for side in images)
    return ("found.zip", found), ("truth.zip", true)


def test_a_model_with_the_quality_of_its_outlines(puma, truth):
    app = visits.finished(puma(submission="dense", outlines="true", tab="Outlines"))
    assert [tab.label for tab in app.tabs] == [
        *list(FACTS["puma"].tabs)[:-1],
        "Outlines",
        "Tissue",
        "Model",
        "History",
    ]
    card = CHALLENGE.score(truth, CHALLENGE.predict(SAMPLE.submissions["dense"].path, truth), outlines=True)
    assert any("How good are the outlines?" in heading.value for heading in app.header)
    assert share(card.metrics["pq"]) in words(app)
    assert "Predictions (ZIP)" in [one.proto.label for one in app.get("download_button")]


@pytest.mark.parametrize(
    "images",
    [
        ([[nucleus("tumor", 5, 5)]], [[]]),
        (
            [[nucleus("stroma", 5, 5)], []],
            [[nucleus("stroma", 9, 9, score=7.5)], [nucleus("tumor", 1, 1, score=-3)]],
        ),
    ],
    ids=["nothing predicted", "an empty image and strange confidences"],
)
def test_every_tab_answers_what_has_next_to_nothing_in_it(puma, images):
    app = put(puma(table="true"), *lists(images))
    for tab in FACTS["puma"].tabs:
        open_tab(app, tab)
        assert not app.exception
        assert not app.error
        assert [metric.label for metric in app.metric][1:] in ([], ["official"])


@pytest.mark.parametrize("rules", RULES)
def test_the_headline_holds_the_three_rules_with_their_ceilings(puma, truth, rules):
    card, app = scorecard("octans", rules=rules), puma(submission="octans", rules=RULE_NAMES[rules])
    visits.assert_scored(app, "puma", card.score)
    assert f"**{CHALLENGE.formula({'rules': rules})}**" in words(app)
    assert span(card.intervals["score"], 3) in str(app.metric[0].proto)
    names = {
        "description": "macro_f1",
        "grand-challenge": "macro_f1_grand_challenge",
        "pooled": "macro_f1_pooled",
    }
    assert (
        f"**{share(card.metrics[f'best_possible_{names[rules]}'])}** :small[:gray[the truth itself"
        in words(app)
    )
    for other in set(RULES) - {rules}:
        value, best = card.metrics[names[other]], card.metrics[f"best_possible_{names[other]}"]
        assert f"**{share(value)}** :small[:gray[of {share(best)}; " in words(app)
    shown = "between two pathologists (0.802) and between two readings of one pathologist (0.857)"
    assert shown in words(app)


def test_the_class_table_says_what_the_card_says(puma, truth):
    card, rows = (
        scorecard("octans"),
        shown_table(puma(submission="octans", tab="Classes"), "precision"),
    )
    for row, (name, entry) in zip(rows.itertuples(), card.per_class.items(), strict=True):
        assert row[1] == name.replace("_", " ")
        assert (row.support, row.f1, row.best_possible_f1, row.recall) == (
            entry["support"],
            entry["f1"],
            entry["best_possible_f1"],
            entry["recall"],
        )
        assert row.precision == entry["precision"] or np.isnan(row.precision)
        assert row.images_truth == f"{entry['images_truth']}*"
        assert row.f1_interval == span(entry["f1_interval"], 2)


def test_the_images_stand_worst_first_with_their_signs(puma, truth):
    card, rows = scorecard("octans"), shown_table(puma(submission="octans", tab="Images"), "signs")
    by_name = {row["case"].removeprefix("sample_"): row for row in card.cases}
    assert list(rows["macro_f1"]) == sorted(row["macro_f1"] for row in card.cases)
    for row in rows.itertuples():
        assert (row.n_truth, row.n_predicted, row.fp, row.fn) == tuple(
            by_name[row.case][k] for k in ("n_truth", "n_predicted", "fp", "fn")
        )
        assert (row.signs == "missing") == by_name[row.case]["missing"]
    assert set(shown_table(puma(submission="sirius", tab="Images"), "signs")["signs"]) == {"shifted 14 px"}


def test_the_image_of_an_address_is_open_and_the_next_one_is_a_click_away(puma, truth):
    app = puma(submission="tucana", tab="Viewer", table="true", case=truth.ids[3])
    assert app.selectbox(key="case").value == truth.ids[3]
    for step, expected in (("Next", 4), ("Previous", 3), ("Previous", 2)):
        app.button(key=f"case_{step}").click().run()
        assert app.selectbox(key="case").value == truth.ids[expected]


def test_more_images_than_fit_turn_pages(puma):
    app = put(puma(tab="Images"), *lists(realistic(1, images=65, nuclei=12)))
    assert not app.exception
    shown = json.loads(
        next(plot for plot in app.get("plotly_chart") if "class_heat" in str(plot.proto.id)).proto.spec
    )
    assert len(shown["layout"]["yaxis"]["ticktext"]) == 30
    app.session_state["images_page"] = 3
    app.run()
    shown = json.loads(
        next(plot for plot in app.get("plotly_chart") if "class_heat" in str(plot.proto.id)).proto.spec
    )
    assert len(shown["layout"]["yaxis"]["ticktext"]) == 5


@pytest.mark.parametrize("which", some(nuclei_listing.LISTS, 2))
def test_the_table_beside_the_viewer_says_what_the_matches_say(puma, truth, which):
    card = scorecard("tucana", resamples=0)
    case = card.cases[5]["case"]
    rows = shown_table(puma(submission="tucana", tab="Viewer", table="true", case=case, list=which), "why")
    m = card.matches
    wanted = {"errors": ("FP", "FN"), "all": ("TP", "FP", "FN")}.get(which, (which,))
    mine = np.flatnonzero((m["case"] == case) & np.isin(m["status"], wanted))
    told = [
        f"truth {m['truth'][i]}" if m["truth"][i] >= 0 else f"prediction {m['prediction'][i]}" for i in mine
    ]
    assert list(rows["of"]) == told
    assert list(rows["status"]) == m["status"][mine].tolist()
    assert list(rows["class"]) == [
        (m["truth_class"][i] or m["predicted_class"][i]).replace("_", " ") for i in mine
    ]
    expected = np.where(m["status"][mine] == "TP", m["distance"][mine], m["near_distance"][mine])
    assert rows["distance"].to_numpy(float) == pytest.approx(expected, nan_ok=True)


def test_a_nucleus_of_the_address_is_said_in_words_and_its_row_is_chosen(puma):
    images = (
        [[nucleus("tumor", 100, 100), nucleus("tumor", 200, 200)]],
        [[nucleus("tumor", 103, 104, score=0.75), nucleus("lymphocytes", 206, 200)]],
    )
    said = {
        "truth-0": ("TP found", "matched with prediction 0 5.0 px away, confidence 0.75", 0),
        "prediction-0": ("TP found", "truth 0 at 100, 100 px", 0),
        "truth-1": ("FN missed", "the nearest prediction, 6.0 px away, is lymphocytes", 1),
        "prediction-1": ("FP spurious", "the nearest truth, 6.0 px away, is tumor", 2),
    }
    for nucleus_name, (status, why, row) in said.items():
        app = put(puma(tab="Viewer", table="true", list="all", nucleus=nucleus_name), *lists(images))
        assert status in words(app)
        assert why in words(app)
        assert app.session_state["nuclei_all"]["selection"]["rows"] == [row]


@pytest.mark.parametrize(("radius", "least"), [(25.0, 0.0), (15.0, 0.55), (6.5, 0.3)])
def test_sliders_give_what_the_scorer_says(puma, truth, radius, least):
    app = puma(submission="tucana", tab="Radius")
    assert "✓ the challenge's rule" in words(app)
    app.slider(key="radius").set_value(radius)
    app.slider(key="least").set_value(least).run()
    card = scorecard("tucana", radius=radius, min_confidence=least, resamples=0)
    usual = scorecard("tucana", resamples=0)
    assert "not the challenge's rule" in words(app)
    for name in ("macro_f1", "macro_f1_grand_challenge", "macro_f1_pooled", "micro_f1"):
        below = f"{share(usual.metrics[name])} by the challenge's rule"
        assert f"**{share(card.metrics[name])}** :small[:gray[{below}]]" in words(app)
    assert f"**{card.metrics['n_predicted']:,}** :small[:gray[of {usual.metrics['n_predicted']:,}]]" in words(
        app
    )
    rows = shown_table(app, "here")
    assert list(rows["here"]) == [entry["f1"] for entry in card.per_class.values()]
    assert list(rows["rule"]) == [entry["f1"] for entry in usual.per_class.values()]
    assert list(rows["tp"]) == [entry["tp"] for entry in card.per_class.values()]
    assert app.metric[0].value == share(usual.score)
    app.button(key="to_rule").click().run()
    assert (app.slider(key="radius").value, app.slider(key="least").value) == (15.0, 0.0)
    assert "✓ the challenge's rule" in words(app)


def test_the_viewer_shows_the_setting_of_the_sliders_and_says_so(puma, truth):
    card = scorecard("sirius", radius=25.0, resamples=0)
    row = card.cases[0]
    app = puma(submission="sirius", tab="Viewer", table="true", case=row["case"], radius="25")
    assert "radius 25 px: not the challenge's rule" in words(app)
    assert f"How was each nucleus scored? {row['fp'] + row['fn']}" in words(app)
    app.button(key="to_rule_here").click().run()
    row = scorecard("sirius", resamples=0).cases[0]
    assert "not the challenge's rule" not in words(app)
    assert f"How was each nucleus scored? {row['fp'] + row['fn']}" in words(app)


def test_an_offset_is_measured(puma):
    said = words(puma(submission="sirius", tab="Radius"))
    right, down = re.search(r"\*\*\+([\d.]+), \+([\d.]+) px\*\*", said).groups()
    assert (float(right), float(down)) == pytest.approx((12, 7), abs=0.4)


def test_confidences_above_one_have_a_slider_as_long(puma):
    images = [[nucleus("tumor", 5, 5)]], [[nucleus("tumor", 5, 5, score=3.2)]]
    app = put(puma(tab="Radius"), *lists(images))
    assert app.slider(key="least").max == 4
    app.slider(key="least").set_value(3.5).run()
    assert "**0** :small[:gray[of 1]]" in words(app)


def test_confidences_below_zero_are_kept_where_the_slider_begins(puma):
    images = [[nucleus("tumor", 5, 5)]], [[nucleus("tumor", 5, 5, score=-3.2)]]
    app = put(puma(tab="Radius"), *lists(images))
    assert (app.slider(key="least").min, app.slider(key="least").value) == (-4, -4)
    assert "✓ the challenge's rule" in words(app)
    assert "**1** :small[:gray[of 1]]" in words(app)
    app.slider(key="least").set_value(0.0).run()
    assert "**0** :small[:gray[of 1]]" in words(app)
    assert "confidence from 0: not the challenge's rule" in words(app)


def test_distances_from_tumour_to_lymphocytes_are_those_of_the_card(puma, truth):
    card, rows = (
        scorecard("rigel", resamples=0),
        shown_table(puma(submission="rigel", tab="Tissue"), "median_truth"),
    )
    assert list(rows["image"]) == ["all images", *(row["case"] for row in card.cases)]
    for row, entry in zip(rows.itertuples(), (card.more, *card.cases), strict=True):
        for side in ("truth", "predicted"):
            found = entry[f"tumor_lymphocyte_um_{side}"]
            told = [getattr(row, f"{key}_{side}") for key in ("median", "within_20", "within_50")]
            assert told == [found["median"], found["within_20"], found["within_50"]]


def test_nuclei_of_other_classes_are_refused_or_left_out_on_request(puma):
    true = [[nucleus("tumor", 5, 5)]]
    submission, test_set = lists((true, [[nucleus("tumor", 5, 5), nucleus("mitosis", 9, 9)]]))
    app = put(puma(), submission, test_set)
    assert "`unknown-class`" in words(app)
    assert not app.metric
    app = take_fix(app, "Leave out nuclei of other classes")
    assert not app.error
    assert app.metric[0].value == "0.100"
    assert "`unknown-class`" in words(app)


def test_a_hundred_thousand_nuclei_are_listed_in_part(puma):
    random = np.random.default_rng(0)
    places = random.uniform(0, 8000, (100_000, 2)).round(1).tolist()
    nuclei = {"a": [{"centroid": place, "class": CLASSES[i % 4]} for i, place in enumerate(places)]}
    file = archive_of(nuclei_lists.files(nuclei))
    app = put(puma(tab="Viewer", table="true", list="all"), ("found.zip", file), ("truth.zip", file))
    assert not app.exception
    assert "How was each nucleus scored? 100,000" in words(app)
    assert len(shown_table(app, "why")) == nuclei_listing.MOST
    assert decimal(0.4, 3) == app.metric[0].value


@pytest.mark.soak
def test_a_polygon_of_a_million_vertices_is_drawn(puma):
    angle = np.linspace(0, 2 * np.pi, 1_000_000)
    ring = np.c_[500 + 300 * np.cos(angle), 500 + 300 * np.sin(angle)].round(2).tolist()
    found = archive_of(
        {"a.json": json.dumps({"polygons": [{"name": "tumor", "path_points": ring}]}).encode()}
    )
    true = archive_of(nuclei_lists.files({"a": [nucleus("tumor", 500, 500)]}))
    app = put(puma(tab="Viewer", table="true", list="all"), ("found.zip", found), ("truth.zip", true))
    assert not app.exception
    assert "`many-vertices`" in words(app)
    assert list(shown_table(app, "why")["status"]) == ["TP"]


def renamed(team: str, **others: str) -> tuple[str, bytes]:
    """The files of a sample team with other class names."""
    packed = io.BytesIO()
    with zipfile.ZipFile(SAMPLE.submissions[team].path) as files, zipfile.ZipFile(packed, "w") as made:
        for name in files.namelist():
            text_ = files.read(name).decode()
            for new, old in others.items():
                text_ = text_.replace(f'"{old}"', f'"{new.replace("_", " ")}"')
            made.writestr(name, text_)
    return "renamed.zip", packed.getvalue()


def test_class_names_that_are_none_of_the_ten_are_chosen_without_a_new_upload(puma, truth):
    app = put(puma(), renamed("rigel", Immune_cells="nuclei_lymphocyte", Vessel="nuclei_endothelium"))
    assert app.error
    assert not app.metric
    assert "Did you mean" not in words(app)
    assert "--unknown" not in words(app)
    immune, _ = (box for box in app.selectbox if box.key.startswith("class_name_"))
    assert immune.label.startswith("Immune cells (")
    immune.set_value("lymphocytes").run()
    assert app.error
    next(box for box in app.selectbox if box.label.startswith("Vessel")).set_value("endothelium").run()
    assert not app.exception
    assert not app.error
    assert app.metric[0].value == share(scorecard("rigel").score)
    labels = [one.label for one in app.expander]
    assert "Class names as chosen: Immune cells → lymphocytes, Vessel → endothelium" in labels
    assert "mapped as you chose: 'Immune cells'" in words(app)
    next(box for box in app.selectbox if box.label.startswith("Vessel")).set_value("ignore").run()
    assert app.metric[0].value == share(
        CHALLENGE.score(
            truth,
            CHALLENGE.read_predictions(
                renamed("rigel", Immune_cells="nuclei_lymphocyte", Vessel="nuclei_endothelium")[1],
                truth,
                class_map="Immune cells=lymphocytes,Vessel=ignore",
            ),
        ).score
    )


def test_class_names_of_an_own_test_set_are_chosen_and_left_out_without_a_new_upload(puma, truth):
    files = {
        path.name: path.read_bytes().replace(b'"nuclei_lymphocyte"', b'"Immune cells"')
        for path in SAMPLE.path.rglob("*.geojson")
    }
    app = puma()
    for name, content in files.items():
        app.file_uploader(key="puma_set_files").upload(name, content)
    app.run()
    put(app, ("rigel.zip", SAMPLE.submissions["rigel"].path.read_bytes()))
    assert app.error
    next(box for box in app.selectbox if box.label.startswith("Immune cells")).set_value("lymphocytes").run()
    assert not app.exception
    assert not app.error
    assert app.metric[0].value == share(scorecard("rigel").score)
    next(button for button in app.button if button.label == "Undo").click().run()
    assert app.error
    next(button for button in app.button if "Leave out nuclei" in button.label).click().run()
    assert not app.error
    assert app.metric[0].value != share(scorecard("rigel").score)


def test_a_zip_among_other_files_is_refused_and_nothing_of_it_scored(puma):
    app = puma()
    team = SAMPLE.submissions["rigel"].path
    app.file_uploader(key="puma_submission_files").upload("a.zip", team.read_bytes()).upload(
        "sample_primary_roi_001.geojson", b"{}"
    ).run()
    assert not app.metric
    assert "zip-among-files" in words(app)
    assert "a zip cannot be combined with other files: no file was read" in words(app)
