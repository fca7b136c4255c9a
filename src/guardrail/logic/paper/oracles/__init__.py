"""Semantic oracles: what is wrong with a reply to a question whose answer and proof are known.

```
truth     the question, its answer and facts     goals     what it asks, to be asked of other facts
questions   questions as statements, claims about years
stated    what a reply states and concludes      graphs    semantic graphs and their similarity
verdicts  the verdict                            rates     categories, counts and rates of many replies
```
"""
