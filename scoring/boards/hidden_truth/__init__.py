"""Hidden truth: decides what participants learn of it.

* truth of a board hidden, and opened at the end: `visible_results.hide`, `visible_results.reveal`
* scores, classes and cases that a participant or the public sees: `visible_results.visible_scores`
* scores rounded, or shown by the Ladder: `disclosure_rules.shown_scores`, `disclosure_rules.ladder_scores`
* bits that shown scores tell, and submissions left: `guessing_budget.used`,
  `guessing_budget.most_submissions`
* part of the test set that is withheld until the end: `test_set_split.split_board`
* notices to the organizer about probing: `probing_notices.board_notices`
* messages about a submission without facts of the truth: `redaction.redact`
* what deleted boards told: `deleted_truths.told`
"""
