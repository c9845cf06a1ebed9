"""Names of cases as pages show them."""

import pandas as pd

from pages.display.case_names import shortened_column, shortener


def test_what_all_names_begin_with_is_left_out_and_said():
    rows = pd.DataFrame({"case": ["sample_a", "sample_b"], "n": [1, 2]})
    shown, columns = shortened_column(rows, {"case": {"label": "case", "help": "Of the truth."}, "n": {}})
    assert shown["case"].tolist() == ["a", "b"]
    assert columns["case"]["help"].startswith("Of the truth. Every name begins with sample")
    assert rows["case"].tolist() == ["sample_a", "sample_b"], "what is downloaded stays whole"
    assert shortener(["sample_a", "sample_b"])("sample_b") == "b"


def test_names_without_a_common_beginning_stay():
    rows, columns = pd.DataFrame({"case": ["a_1", "b_1"]}), {"case": {"label": "case"}}
    assert shortened_column(rows, columns)[0] is rows
    assert shortener(["a_1", "b_1"])("a_1") == "a_1"
    none = pd.DataFrame({"n": [1]})
    assert shortened_column(none, {"n": {}})[0] is none
