"""Several variants together: the formula (`stack`), the detector (`check`), fits and where they come from (`fits`, `fitting`)."""
