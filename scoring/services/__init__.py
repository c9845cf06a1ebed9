"""What outlives a session: store, access, boards, history, platforms, and the check of an installation."""
