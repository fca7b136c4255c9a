"""The language of a text: whole answers, short ones, close languages, text that is none."""

from tests.effort import ends
from tests.looping import each

from guardrail.text.language import language

ANSWERS = {
    "en": "The museum was founded by two brothers who had made their money in shipping.",
    "de": "Das Museum wurde von zwei Brüdern gegründet, die mit Schiffen reich geworden waren.",
    "fr": "Le musée a été fondé par deux frères qui avaient fait fortune dans le transport maritime.",
    "es": "El museo fue fundado por dos hermanos que habían hecho fortuna con los barcos.",
    "it": "Il museo fu fondato da due fratelli che si erano arricchiti con le navi.",
    "pt": "O museu foi fundado por dois irmãos que tinham enriquecido com o transporte marítimo.",
    "nl": "Het museum werd gesticht door twee broers die rijk waren geworden met de scheepvaart.",
    "sv": "Museet grundades av två bröder som hade blivit rika på sjöfart.",
    "pl": "Muzeum założyło dwóch braci, którzy wzbogacili się na żegludze.",
    "tr": "Müze, denizcilikten zengin olan iki kardeş tarafından kuruldu.",
    "ru": "Музей основали два брата, разбогатевшие на судоходстве.",
    "ar": "أسس المتحف شقيقان جمعا ثروتهما من الشحن البحري.",
    "hi": "संग्रहालय की स्थापना दो भाइयों ने की थी जो जहाजरानी से अमीर हुए थे।",
    "zh": "该博物馆由两位靠航运致富的兄弟创办。",
    "ja": "この博物館は、海運で財を成した二人の兄弟によって設立されました。",
    "ko": "이 박물관은 해운업으로 부자가 된 두 형제가 설립했습니다.",
    "id": "Museum itu didirikan oleh dua bersaudara yang menjadi kaya dari pelayaran.",
}
LETTERLESS = ["", "  \n", "1904", "$3.5 – 4,2 %", "…", "🙂", "1 + 1 = 2", "\x00", "| 3 | 4 |"]
SHORT = ["OK.", "Paris", "Ja.", "No.", "Sim", "Oui.", "Ada Lovelace", "x = 1", "Na."]


class TestLanguage:
    def test_of_a_sentence(self):
        """A sentence is enough, whatever the documents' language is."""
        each(ANSWERS.items(), lambda code, text: self.check(text, code))

    @staticmethod
    def check(text, code):
        assert [language(text), language(text, hint="en"), language(text, hint="de")] == [code] * 3

    def test_quoting_another(self):
        """A quotation in another language does not change an answer's."""
        said = f"In der Satzung steht dazu: „{ANSWERS['en']}“ Was damit gemeint war, ist umstritten."
        assert language(f"{ANSWERS['de']} {said}", hint="en") == "de"

    def test_short(self):
        """A text that is too short to say is in the language that was expected; without one, in none."""
        each(SHORT, self.check_short)

    @staticmethod
    def check_short(text):
        assert [language(text, hint=one) for one in ("de", "zh", "")] == ["de", "zh", ""]

    def test_without_letters(self):
        """A text without letters is in no language."""
        each(LETTERLESS, self.check_none)

    @staticmethod
    def check_none(text):
        assert (language(text), language(text, hint="de")) == ("", "")

    def test_close_ones(self):
        """Of languages that nobody tells apart by a sentence, the expected one is taken."""
        malay_or_indonesian = "Dua orang kanak-kanak dan ibu mereka makan nasi di rumah."
        assert language(malay_or_indonesian, hint="id") == "id"
        assert language(malay_or_indonesian, hint="ms") == "ms"

    def test_addresses(self):
        """Addresses and numbers are in no language, however many there are."""
        addresses = " ".join(f"https://example.org/the/English/path-of-{i}.html {i}" for i in range(40))
        assert language(f"{addresses} {ANSWERS['es']}") == "es"

    def test_any_text(self):
        """Any string has a language or none, soon: what is long is cut."""
        with ends():
            for text in [
                "\ud800",
                "a" * 10**6,
                "a " * 10**6,
                "http://" * 10**5,
                "字" * 10**6,
                "\n\n" * 10**6,
            ]:
                assert len(language(text, hint="en")) in (0, 2)
