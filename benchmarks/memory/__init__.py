"""Memory consistency [memory], on a simulated subject and on any live model."""
