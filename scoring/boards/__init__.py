"""Boards: submissions of several teams collected over weeks, scored as they come, ranked by comparison.

`hidden_truth.disclosure_rules` rounds and withholds scores (the Ladder), `ranking.final_ranking` freezes a
ranking, `truth_correction.correction_preview` shows a correction before it is applied, `bundles` export and
import. The database is in `services.store.tables`.
"""
