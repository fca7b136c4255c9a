"""Reading text: what an answer claims, how it is laid out, which quantities and dates it has, in which language.

| file | what it has |
| --- | --- |
| `claims`, `kinds` | the pieces of an answer, and whether each claims something |
| `sentences`, `blocks`, `layout` | sentences; code and formulas among them; lists, tables and links that an edit must respect |
| `plain`, `markup`, `elements`, `typography` | text without Markdown, HTML and marks; one spelling of quotation marks and hyphens |
| `citation_marks`, `quotations`, `announced` | "[1]" and its kind; words in quotation marks; "here are four works" |
| `quantities`, `units`, `numerals`, `moments` | numbers, units, dates and times, read as values |
| `known_quantities` | what a sentence says of the quantities of documents |
| `language` | which language a text is in |
| `bm25` | how much a text speaks of what a query speaks of |
| `fence`, `splicing` | untrusted text inside a prompt; other words in places of a text |
| `yes_no` | how sure a model is of "yes" or "no", by its first token |
| `thoughts`, `json_values`, `settled` | `<think>` in an answer; JSON in it; what of a stream reads the same whatever comes next |
"""
