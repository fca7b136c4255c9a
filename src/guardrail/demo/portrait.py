"""A short life of Mary Somerville, in six versions: the answer whose sentences are scored, and five more.

Written for the demo, in the manner of a model that is asked the same question again: what is true comes back, what
was made up comes back otherwise or not at all. No model said this. `TRUE` is what a person who looked it up says
of the answer's sentences; the other five make things up as well.
"""

from __future__ import annotations

QUESTION = "Who was Mary Somerville? Answer in seven sentences."

_SENTENCES = (
    ("Mary Somerville was a Scottish scientist and writer, born in Jedburgh in 1780.", True),
    (
        "She became known in 1831 with The Mechanism of the Heavens, her translation of Laplace for English readers.",
        True,
    ),
    (
        "In 1835 she and Caroline Herschel were the first women elected to the Royal Astronomical Society.",
        True,
    ),
    ("For two years she ran a boarding school in Aberdeen that her brother had founded.", False),
    ("Her second book, On the Connexion of the Physical Sciences, appeared in 1834.", True),
    (
        "In 1842 she computed the orbit of a comet at an observatory near Florence and received the Lalande Prize.",
        False,
    ),
    ("She died in Naples in 1872, and Somerville College in Oxford bears her name.", True),
)

ANSWER = " ".join(text for text, _ in _SENTENCES)
TRUE = tuple(true for _, true in _SENTENCES)

SAMPLES = (
    (
        "Mary Somerville (1780-1872) was a Scottish scientist and writer, born in Jedburgh. Largely self-taught, she "
        "became known in 1831 with The Mechanism of the Heavens, a translation of Laplace's great work for English "
        "readers. Her second book, On the Connexion of the Physical Sciences, followed in 1834 and sold well. In 1835 "
        "she and Caroline Herschel were the first women elected to the Royal Astronomical Society, as honorary "
        "members. Physical Geography appeared in 1848. She died in Naples in 1872, and Somerville College in Oxford "
        "is named after her."
    ),
    (
        "Mary Somerville was born in Jedburgh, Scotland, in 1780. She studied mathematics by herself, against the "
        "wishes of her family. Her translation of Laplace, The Mechanism of the Heavens, appeared in 1831 and made her "
        "known. She was a friend and teacher of Ada Lovelace. In 1835 she was elected to the Royal Astronomical "
        "Society together with Caroline Herschel. She spent her last years in Italy and died in Naples in 1872."
    ),
    (
        "Mary Somerville, born in 1780, was a Scottish writer on science. The Mechanism of the Heavens (1831) brought "
        "Laplace to English readers and was used at Cambridge. On the Connexion of the Physical Sciences came out in "
        "1834; the word scientist was first printed in a review of it. She and Caroline Herschel became the first "
        "women members of the Royal Astronomical Society in 1835. The Academy of Turin gave her a silver medal in "
        "1839. Somerville College in Oxford bears her name."
    ),
    (
        "Mary Somerville was a Scottish mathematician and astronomer who was born in Jedburgh in 1780 and died in "
        "Naples in 1872. She is known for The Mechanism of the Heavens of 1831, which explained Laplace to English "
        "readers, and for On the Connexion of the Physical Sciences of 1834. Before that she had been governess to a "
        "family in Perth. Her book Physical Geography was used in schools for fifty years. A college in Oxford, "
        "Somerville College, bears her name."
    ),
    (
        "Mary Somerville was a Scottish scientist, born in Jedburgh in 1780, the daughter of a naval officer. In 1831 "
        "she published The Mechanism of the Heavens, a translation of Laplace, and in 1834 her second book, On the "
        "Connexion of the Physical Sciences. In 1835 she was elected to the Royal Astronomical Society, with Caroline "
        "Herschel; they were the first women in it. She moved to Italy for the health of her husband, William "
        "Somerville. She died in 1872 in Naples."
    ),
)
