"""Authors: the parts of a name (`names`, `words`), lists of authors read and compared (`lists`), and what leads in such a list in a sentence (`leads`)."""
