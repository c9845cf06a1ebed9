"""The notebooks of `examples/` as pages: text, code and what it prints."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "examples"
NOTEBOOKS = {path.stem: path for path in sorted(FOLDER.glob("*.ipynb"))}


def notebook(path: Path) -> str:
    """Return a notebook as a page."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    title, *texts = (text for cell in cells for text in _cell(cell))
    return "\n\n".join([title, f"This page is a notebook: [{path.name}]({path.name}).", *texts])


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
    for output in cell.get("outputs", ()):
        printed = "".join(output.get("text") or output["data"]["text/plain"])
        yield f"```text\n{printed.rstrip()}\n```"
