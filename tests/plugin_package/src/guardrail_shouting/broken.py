"""A plug-in whose import fails, as after an update of something it needs."""

raise ImportError("cannot import name 'Something' from 'somewhere'")
