"""Speed beside selfcheckgpt and uqlm: the same weights, the same pairs, in turn, with the scores compared."""
