"""Bibliographies: records, an embedded index, and matching."""
