"""The changes of tables; the names of the modules give their order."""
