"""Runs work on a Dask cluster, if the server's operator has named one (docs/cluster.md).

* settings and connection: `scheduler.Scheduler`; same versions on every machine: `versions.differences`
* a model over many images: `inference.run_on_all`; masks: `masks.compare_all`;
  pieces of work: `chunks.streamed`
"""
