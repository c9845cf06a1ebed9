"""Statistics: `replicates` of a test set, `intervals` of scores, `swap_test` (the permutation test, which
tells teams apart), `ranking`, and `repeated_looks` of boards."""
