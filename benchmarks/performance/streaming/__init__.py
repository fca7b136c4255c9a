"""Time to the first released sentence: streams that are released by sentence, beside streams that are held back."""
