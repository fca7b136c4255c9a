"""Citations of HALLMARK, right and wrong in 14 ways, looked up in an index of all its real works."""
