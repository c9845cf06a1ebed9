"""Draws samples again: `python -m sample_data.generator [--into FOLDER] [NAME ...]`, by default all of them
into sample_data."""

import argparse
from pathlib import Path

from sample_data.generator.catalogue import SAMPLES

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m sample_data.generator")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SAMPLES))
    parser.add_argument("--into", type=Path, default=Path(__file__).parents[1])
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(SAMPLES):
        parser.error(f"no such sample: {', '.join(sorted(unknown))}")
    for name in arguments.names or SAMPLES:
        SAMPLES[name].write(arguments.into / name)
