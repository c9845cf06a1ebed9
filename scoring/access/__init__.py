"""Roles (visitor, participant, organizer) and the login rules that give them; pages ask in
`pages.server.access`."""
