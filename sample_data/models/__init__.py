"""How the sample models were trained: run at build time only, never by the dashboard."""
