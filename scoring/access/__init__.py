"""Roles of people: `login_roles` decides them by the claims of an identity provider. Knows no page."""
