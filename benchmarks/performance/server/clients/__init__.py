"""Clients that know nothing of a guard, each in an environment of its own, against the running server."""
