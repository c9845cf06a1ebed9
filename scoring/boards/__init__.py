"""Boards (leaderboards): submissions of several teams over weeks, scored on arrival and ranked.

* create, open, change a board: `board.create`, `board.opened`, `board.change_settings`
* submit: `submissions.submitting.submit`;
  submissions left today and in a phase: `submissions.phases_and_limits.allowed`
* scores that participants see if the truth is hidden; the Ladder:
  `hidden_truth.visible_results.visible_scores`
* ranking; winners: `ranking.board_ranking.board_ranking`, `ranking.decision_rule`,
  `ranking.final_ranking.freeze`
* corrected truth and rescoring: `truth_correction.rescoring.rescore`
* teams, members, merges: `teams.members`, `teams.team_changes`; deletion: `deletion.delete_board`
* export and import as one file: `bundles.bundle.export`, `bundles.bundle.import_board`
* public report and zip: `publication.public_report.html`, `publication.publication_archive.publication`
* tables and figures of the page: `views.leaderboard`; checks of database rows: `row_validation.row_problems`
* leaderboards of other platforms: `foreign_leaderboards.read_leaderboard`, `imported_leaderboards.keep`;
  sample board: `sample_board`
* how rows and scorecards are stored: `serialization.VersionResult`, `serialization.card_to_bytes`

The database is in `scoring.store`; bundles for Grand Challenge, Codabench, EvalAI are in `scoring.platforms`.
"""
