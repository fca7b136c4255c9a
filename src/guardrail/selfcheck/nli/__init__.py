"""NLI: the detector (`check`), what of a long text is read (`premise`), how it is read (`reading`), how much it counts (`weighing`)."""
