"""Hidden truth: which information about the truth participants get.

* hide the truth of a board, and open it at the end: `visible_results.hide`, `visible_results.reveal`
* scores, classes and cases that participants or the public see: `visible_results.visible_scores`
* scores rounded: `disclosure_rules.shown_scores`; the Ladder (a score is shown only if it beats the team's
  best by a step): `disclosure_rules.ladder_scores`
* bits of information about the labels that shown scores reveal: `guessing_budget.used`; submissions of a team
  in a phase: `guessing_budget.most_submissions`
* split into a shown and a withheld part: `test_set_split.split_board`
* notices to the organizer about probing: `probing_notices.board_notices`
* messages about a submission that reveal nothing about the truth: `redaction.redact`
* bits that scores of deleted boards revealed: `guessing_budget.bits_of_deleted_boards`
"""
