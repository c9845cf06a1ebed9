"""The tab of cases: filters, the table that follows them, and what the last kept run had right."""

import scoring
from scoring.challenges import samples
from scoring.history import keeping
from scoring.history.keeping import Keeping
from scoring.store.database import open_store
from tests.support.visits import sample_card, shown_table, words


def shown(app) -> list[str]:
    return shown_table(app, "case")["case"].tolist()


def test_the_table_follows_the_filters_worst_first(opened):
    card = sample_card("isic", "lyra")
    app = opened("isic", submission="lyra", tab="Cases", of_truth="NV", cases="mistakes")
    assert not app.exception
    expected = {row["case"] for row in card.cases if row["truth"] == "NV" and not row["correct"]}
    assert {name.rpartition("_")[2] for name in shown(app)} == {name.rpartition("_")[2] for name in expected}
    assert f"Which cases? {len(expected)} of {card.n_cases}" in words(app)
    assert app.selectbox(key="case").value in expected
    app.selectbox(key="of_called").set_value("MEL").run()
    assert len(shown(app)) == sum(r["truth"] == "NV" and r["predicted"] == "MEL" for r in card.cases)


def test_fixed_and_broken_are_offered_against_the_last_kept_run(opened):
    assert "fixed" not in opened("isic", submission="lyra", tab="Cases").button_group(key="cases").options
    sample, challenge = next(iter(samples.test_sets("isic").values())), scoring.load_challenge("isic")
    before, card = sample_card("isic", "juno"), sample_card("isic", "lyra")
    keeping.keep(open_store(), Keeping(before, challenge.read_truth(sample.path), "Juno", sample.title))
    app = opened("isic", submission="lyra", tab="Cases", cases="fixed")
    assert not app.exception
    pairs = zip(before.cases, card.cases, strict=True)
    fixed = [new["case"] for old, new in pairs if new["correct"] and not old["correct"]]
    assert f"Which cases? {len(fixed)} of {card.n_cases}" in words(app)
    assert len(shown(app)) == len(fixed) > 0
