"""How the sample models were trained: run at build time only, never by the dashboard."""

import scoring  # noqa: F401 - before onnxruntime, whose telemetry it turns off
