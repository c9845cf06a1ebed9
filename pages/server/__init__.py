"""The running server: access, logins, jobs, `memory_budget`, address of a page (`url_state`)."""
