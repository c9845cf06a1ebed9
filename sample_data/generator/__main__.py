"""Draws the test set again: `python -m sample_data.generator [folder]`, by default into sample_data/tricorder3."""
import sys
from pathlib import Path

from sample_data.generator import tricorder3

if __name__ == "__main__":
    tricorder3.write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "tricorder3")
