"""Services that outlive a session: store, access, boards, history, platforms; the installation's check."""
