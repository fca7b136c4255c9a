"""The core under stress: sharing, cancellation, faults, budgets, replay, fork, Ctrl-C, overhead."""
