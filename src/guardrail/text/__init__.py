"""Reading text: citations, names, fences."""
