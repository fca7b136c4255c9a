"""What users hand over, read or refused where they hand it over.

| file | what it has |
| --- | --- |
| `accepted`, `sources` | the types: what is taken; a document with where it came from |
| `content` | prompts, answers, documents and samples from what users have at hand |
| `documents`, `delimited` | the documents of a request: of tools, attachments, searches; those that a prompt delimits |
| `citations` | those that a service gives apart from the text |
| `arguments` | what a guard is made of |
| `recognition`, `advice` | whose object something is; what to write instead of one that is refused |

Objects of OpenAI and LangChain are known without importing either: whoever has one has imported it.
"""
