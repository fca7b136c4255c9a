"""Twenty answers, from the command line to an agent: nothing real is removed, nothing invented passes unmarked."""
