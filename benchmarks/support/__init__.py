"""Does each source say what an answer cites it for? Answers with labelled marks."""
