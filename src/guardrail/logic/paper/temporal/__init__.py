"""Questions about years: formulas over dated events, asked in English, with proved answers.

```
generation   test cases                 english      formulas as questions and statements
points       a second proof, by years   explanation  why a formula is true or false in a year
```
"""
