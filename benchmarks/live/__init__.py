"""A real chat model behind every detector, recorded and replayed."""
