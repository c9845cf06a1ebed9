"""Roles (visitor, participant, organizer) and the login rules that assign them.

* scores that a participant may see: `scoring.boards.hidden_truth.visible_results.visible_scores`
* role of a person, computed from claims and secrets: `login_roles.actor_of`, by the rules of
  `login_roles.read`
* everybody is a visitor unless logged in: `roles.require_login`; which pages a visitor may open:
  `pages.server.access`
* who sees the organizer's tabs of a board: `pages.boards.actions.may_organize`; members of teams:
  `scoring.boards.teams.members`
"""
