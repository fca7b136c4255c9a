"""Invented titles in real surroundings: none may be verified."""
