"""Heavy work on a Dask cluster, where whoever runs this program names one; docs/cluster.md."""
