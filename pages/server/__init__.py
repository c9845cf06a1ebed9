"""Running server: visitors' access and logins, guards of requests, long jobs, memory.

* which pages a visitor may open: `access.allowed`; logins: `login_redirect`, `login_cookies`
* foreign hosts and origins refused: `request_guard.RequestGuardMiddleware`;
  reachable from outside?: `request_guard.is_public`
* long jobs beside the page, turns of visitors: `background_jobs.JobQueue`;
  their progress bar and Cancel: `background_jobs.watch`
* memory of cached results: `memory_budget.MemoryBudget`; of ended sessions: `session_cleanup.Departures`
* bytes that a visitor uploads: `pages.input_widgets.upload_quota`; numbers: `scoring.common.limits.uploads`
* choices in the page's address (URL): `url_state.select`, `url_state.read`, `url_state.replace`;
  challenge or board in it: read by the page itself (`pages.single_image`, `pages.declared`)
* private parts of Streamlit: `streamlit_internals`
* app start and garbage collection: `preload`, `navigation`, `page_style`;
  scores before widgets: `deferred_widgets`

Roles are in `scoring.access`.
"""
