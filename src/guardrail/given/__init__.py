"""What users hand over, read or refused where they hand it over.

`content` reads prompts, answers, documents and samples; `arguments` what a guard is made of. Objects of OpenAI and LangChain
are known without importing either: whoever has one has imported it.
"""
