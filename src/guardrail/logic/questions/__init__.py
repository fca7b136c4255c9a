"""Questions with known answers, the prompts that ask them, and the reading of replies."""
