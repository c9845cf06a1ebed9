"""Walk through the blocks of views."""

from collections.abc import Iterable, Iterator

from scoring.core.views import Block, Choice, Column, Facts, Figure, Panels, SideBySide, Table, Text, Views
from scoring.presentation.figures.theme import DARK, LIGHT


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks and those within them, in the order in which a report shows them."""
    for block in blocks:
        yield block
        match block:
            case SideBySide():
                yield from walk(inner for column in block.columns for inner in column)
            case Choice():
                yield from walk(block.options.values())


def every(views: Views) -> list[Block]:
    """Return all blocks of all sections."""
    return [block for section in views.sections for block in walk(section.blocks)]


def captions(views: Views) -> list[str]:
    """Return every caption and sentence of the sections, as Markdown."""
    found = [
        block.text if isinstance(block, Text) else block.caption
        for block in every(views)
        if isinstance(block, (Figure, Panels, Table, Facts, Text))
    ]
    return [words for words in found if words]


def column(table: Table, name: str) -> Column:
    """Return a column of a table by name."""
    return next(column for column in table.columns if column.name == name)


def assert_drawn(views: Views) -> None:
    """Check that every figure answers a question in both themes, and that tables are whole."""
    for block in every(views):
        builds = (
            [block.build]
            if isinstance(block, Figure)
            else [panel.build for panel in block.panels]
            if isinstance(block, Panels)
            else []
        )
        for build in builds:
            for theme in (LIGHT, DARK):
                assert build(theme).layout.meta["question"].endswith("?")
        data = block.rows if isinstance(block, Table) else block.data if isinstance(block, Figure) else None
        if data is not None:
            assert len({len(values) for values in data.values()}) <= 1
        if isinstance(block, Table):
            assert {column.name for column in block.columns} <= set(block.rows)
