"""Submissions to a board: phases and limits, scoring on arrival, and feedback for participants.

* submit and score: `submitting.submit` (organizer), `participant.submit` (participant, with feedback)
* dates of phases; submissions per team, day and phase: `phases_and_limits.allowance`;
  refusal of a submission above the limit: `phases_and_limits.allowed`
* remaining submissions: `participant.remaining_quota`;
  a folder of many submissions: `submission_folders.of_folder`

For the choice of a team's ranked submission see `scoring.boards.ranking.ranked_submissions`.
"""
