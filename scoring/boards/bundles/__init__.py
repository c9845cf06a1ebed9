"""Board bundles: a board as one file. `bundle.export` writes and `bundle.import_board` reads one; `unpacking`
checks it and `rehearsal` scores and ranks it again, in a confined process."""
