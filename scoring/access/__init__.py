"""Roles (visitor, participant, organizer) and the login rules that assign them.

* scores that a participant may see: `scoring.boards.hidden_truth.visible_results.visible_scores`
* role of a person from claims and secrets: `login_roles.actor_of`, by the rules of `login_roles.read`
* refusal of people without a role: `roles.require_login`; which pages a visitor may open:
  `pages.server.access`
* organizer's tabs of a board: `pages.boards.actions.may_organize`; boards that a team member sees:
  `scoring.boards.teams.members`
"""
