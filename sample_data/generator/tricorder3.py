"""The test set of the eleven-class challenge: what is drawn, and its tables."""
import json
from pathlib import Path

from sample_data.generator import teams
from sample_data.generator.case import SYMBOLS
from sample_data.generator.testset import ClassPlan, Plan, write_images, write_table

# Twenty cases per class: class-conditional prediction sets at 95 % need at least nineteen.
PER_CLASS = 20
SIZES = ((512, 512), (640, 512), (512, 640), (768, 576), (576, 768), (1024, 768), (768, 1024))
SHARES = (0.32, 0.20, 0.12, 0.14, 0.06, 0.10, 0.06)
PLAN = Plan(
    classes=tuple(ClassPlan(symbol, symbol, PER_CLASS) for symbol in SYMBOLS),
    sizes=SIZES,
    shares=SHARES,
    first_seed=1_000_000,
    turned=6,
)
TEAM_SEED = 1_900_009  # of the first forty, one where chance on 220 cases hides no team's character
LABELS = ["NewFileName", "Class", "Age", "Location", "Gender"]  # the official spelling
DRAWING = ["NewFileName", "look", "skin_tone", "seed", "width", "height", "orientation"]


def image_path(name: str) -> str:
    return f"images/{name}.jpg"


def write_tables(rows: list[dict], folder: Path) -> None:
    """labels.csv, drawing.csv, teams/*.csv and teams.json, from the rows of `write_images`."""
    labels = [[image_path(row["name"]), row["label"], row["age"], row["location"], row["gender"]] for row in rows]
    write_table(folder / "labels.csv", LABELS, labels)
    write_table(folder / "drawing.csv", DRAWING, [[image_path(row["name"]), *(row[key] for key in DRAWING[1:])] for row in rows])
    (folder / "teams").mkdir(exist_ok=True)
    for name, table in teams.predictions([row["symbol"] for row in rows], [row["look"] for row in rows], TEAM_SEED).items():
        lines = [[image_path(row["name"]), *values] for row, values in zip(rows, table.tolist(), strict=True)]
        write_table(folder / "teams" / f"{name}.csv", ["filename", *SYMBOLS], lines)
    about = {name: {"title": team.title, "about": team.about, "model_size_mib": team.model_size_mib} for name, team in teams.TEAMS.items()}
    (folder / "teams.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write(folder: Path) -> None:
    """The whole test set but for the models."""
    write_tables(write_images(PLAN, folder), folder)
