"""OpenAI's protocol as pure functions on dicts and bytes."""
