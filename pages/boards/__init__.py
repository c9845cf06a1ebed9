"""Boards page; `scoring.boards` computes everything.

* list, new board: `board_list.show`; one board: `board_page.show`;
  who sees the organizer's tabs: `actions.may_organize`
* drop submissions: `submitting.show`; as a participant: `participants.submit`
* phases, teams, deletion: `settings.show`; corrected truth: `truth_correction.show`
* what its tabs receive: `actions.BoardPage`
"""
