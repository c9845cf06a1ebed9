"""Runs inside the environment of the official scorer: a list of cells as JSON in, the numbers that its reader
takes them for as JSON out."""

import io
import json
import sys

import pandas

if __name__ == "__main__":
    text = "\n".join(["number", *json.load(sys.stdin), ""])
    json.dump(pandas.read_csv(io.StringIO(text))["number"].tolist(), sys.stdout)
