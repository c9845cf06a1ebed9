"""Views: blocks that pages, reports and notebooks draw."""

from dataclasses import dataclass

from scoring.core.views import Column, Table


@dataclass
class Item:
    name: str
    half: int


def test_a_table_of_items_is_the_table_of_its_columns():
    columns = [Column("name", "Name"), Column("double", "Double", "number", 0, get=lambda i: 2 * i.half)]
    made = Table.of("Which?", [Item("a", 1), Item("b", 2)], columns, "Two.", key="items")
    plain = [Column("name", "Name"), Column("double", "Double", "number", 0)]
    assert made == Table("Which?", plain, {"name": ["a", "b"], "double": [2, 4]}, "Two.", key="items")
    assert Table.of("", [{"name": "c"}], plain[:1]).rows == {"name": ["c"]}
    assert Table.of("", [], plain).rows == {"name": [], "double": []}
