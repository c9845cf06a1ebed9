"""Command line `benchside`: a module per group of commands; `main` starts, `commands` declares arguments."""
