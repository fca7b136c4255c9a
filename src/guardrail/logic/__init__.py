"""Logic: what follows from facts, and when statements about years are true."""
