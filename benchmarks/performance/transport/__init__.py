"""References over real HTTP: speed beside the bare client, faults, and a kill in the middle."""
