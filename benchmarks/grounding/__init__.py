"""Claims and answers beside the documents they should rest on."""
