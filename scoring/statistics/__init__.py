"""Statistics: `replicates` of a test set, `intervals` of scores, `permutation_test` (the swap test, which
tells teams apart), `ranking`, and `repeated_looks` of boards."""
