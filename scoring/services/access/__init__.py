"""Who may do what: roles of people, made from what an identity provider says about them. Knows no page."""
