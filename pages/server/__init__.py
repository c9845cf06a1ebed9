"""Running server: visitors' access and logins, guards of requests, `background_jobs`, memory of sessions.

What a session holds is freed by `session_cleanup` when it ends, bounded by `memory_budget` until then; the
quota of uploads is in `pages.input_widgets.upload_quota`, roles in `scoring.access`.
"""
