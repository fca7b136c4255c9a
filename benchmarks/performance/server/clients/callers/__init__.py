"""Programs that run in a client's environment: they import that client and nothing of this project."""
