"""Authors: the parts of a name (`names`, `words`), and lists of authors read and compared (`lists`)."""
