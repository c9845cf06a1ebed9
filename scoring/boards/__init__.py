"""Boards (leaderboards): submissions of several teams collected over weeks, scored as they come, ranked.

`submissions`: phases, limits of submissions per day. `hidden_truth`: what is disclosed (the Ladder), the
budget of guessing, notices of probing, the shown and the withheld part. `ranking`: the submission that
counts, decision rule, final ranking. `truth_correction`: preview, scoring again. `teams`: members, merges,
exclusions. `bundles`: export and import of a board. `publication`: public report, BIAS checklist, zip. The
database is in `scoring.store`; bundles for Grand Challenge, Codabench and EvalAI are in `scoring.platforms`.
"""
