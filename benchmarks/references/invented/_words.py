"""Names, words and phrases that rendered strings are made of."""

from __future__ import annotations

__all__ = ["CITIES", "JOURNALS", "ORGANISATIONS", "PRESSES", "REMARKS", "SITES"]


def listed(words: str) -> list[str]:
    """The words between bars, or between blanks where there is no bar."""
    return words.split("|" if "|" in words else None)


JOURNALS = listed(
    "Nature|Science|Cell|The Lancet|BMJ|PLOS ONE|Psychological Review|Journal of Finance|American Economic Review|N Engl J Med|"
    "Proceedings of the National Academy of Sciences|IEEE Transactions on Information Theory|Communications of the ACM|"
    "Journal of Machine Learning Research|Neural Computation|Artificial Intelligence|Physical Review Letters|JAMA|Annals of Statistics|"
    "Philosophical Transactions of the Royal Society B|Journal of Personality and Social Psychology|Machine Learning|Cognition|Mind|Ethics|Econometrica|"
    "Angew Chem Int Ed|J Biol Chem|Trends in Cognitive Sciences"
)
PRESSES = listed(
    "MIT Press|Cambridge University Press|Oxford University Press|Springer|Knopf|Penguin|Routledge|Wiley|Addison-Wesley|Harvard University Press|"
    "Princeton University Press|Random House|Basic Books|O'Reilly Media|Simon & Schuster|Norton|Farrar, Straus and Giroux|University of Chicago Press|"
    "Little, Brown|Faber & Faber|Doubleday"
)
CITIES = listed("New York|London|Cambridge, MA|Oxford|Berlin|Chicago|Princeton, NJ|San Francisco|Amsterdam")

ORGANISATIONS = listed(
    "World Health Organization|Office for National Statistics|National Institute of Mental Health|OECD|World Bank|"
    "European Commission|UNESCO|American Psychological Association|Centers for Disease Control and Prevention|"
    "Intergovernmental Panel on Climate Change|Pew Research Center|International Energy Agency|NASA|OpenAI"
)

SITES = listed(
    "BBC News|The New York Times|The Guardian|Medium|CNN|Scientific American|The Atlantic|Towards Data Science|Wired|"
    "Stanford Encyclopedia of Philosophy|Reuters|The Conversation|Psychology Today|Ars Technica"
)

REMARKS = listed(
    "introduced the method|a classic introduction to the field|This paper proposes a new approach.|"
    "This book gives a comprehensive overview of the subject.|widely cited|foundational work on the topic|"
    "Explores how these ideas developed over time.|shows that the effect is robust|highly recommended for beginners|"
    "The authors argue that earlier results do not generalise.|presents a survey of recent work|"
    "Discusses the limits of current techniques and suggests directions for research.|an accessible starting point"
)
