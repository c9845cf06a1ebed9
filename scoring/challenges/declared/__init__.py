"""Challenges declared as files, NAME.toml: parsed, scored and compared as the built-in ones, without code.

What pages and commands use:

* `parser.parse(data, name)` gives a `Declaration` or refuses a stranger's file with every problem;
* `library.of_text(data, name)` gives its `Challenge` and remembers it, so that `load_challenge(challenge.id)`
  finds it again in this process; the id holds a digest of the file, so no two files are mixed up;
* `library.known()` lists the gallery and the files of `BENCHSIDE_CHALLENGES`; `library.find(name)` gives one;
* `suggestion.suggest(truth, name)` makes a first file from the columns, or from the masks, of a truth;
* `scoring.metrics.registry.of_task(task)` lists metrics with their pitfalls.
"""
