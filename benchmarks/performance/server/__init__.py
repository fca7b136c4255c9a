"""The server and the OpenAI wrapper: what they cost, what they survive, and who can talk to them."""
