"""The leak matrix on our doors and on other guards, in one table."""
