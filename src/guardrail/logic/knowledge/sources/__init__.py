"""Where facts come from: Wikidata, files of facts and events, the Drowzee data.

Every reader of files reports what it cannot read, with file and line, counts it, and goes on; nothing is dropped
without a word.
"""
