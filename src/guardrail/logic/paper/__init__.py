"""The paper's testing procedure: questions with proved answers, put to a model, and its replies judged.

```
questions   questions about relations; prompts, replies, rates of wrong answers
temporal    questions about years; a second proof, explanations, exact English
oracles     what is wrong with a reply: its knowledge, its inference, or both
```

It uses the facts, rules and temporal logic of the detector, which knows nothing of it. Source: [li2025].
"""
