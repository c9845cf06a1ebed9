"""Roles of people, made from what an identity provider claims about them. Knows no page."""
