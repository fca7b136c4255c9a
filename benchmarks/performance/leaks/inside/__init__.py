"""Scripts that run in the peers' environments: they import nothing of ours."""
