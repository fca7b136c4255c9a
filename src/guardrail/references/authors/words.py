"""What is known about the words of names: tables for reading names and lists of authors."""

from __future__ import annotations

import re


def word_set(words: str) -> frozenset[str]:
    """The words of a list between blanks."""
    return frozenset(words.split())


def _by_form(names: str) -> dict[str, frozenset[str]]:
    """Each form with all forms of the names that have it; each line is one name."""
    found: dict[str, frozenset[str]] = {}
    for forms in map(frozenset, map(str.split, names.strip().splitlines())):
        for form in forms:
            found[form] = found.get(form, frozenset()) | forms
    return found


# Parts of a family name that may be left out, written together or capitalised: "van der Berg", "Berg".
PARTICLES = word_set(
    "van von vom der den de del della delle di da do dos das du la le les los las ter ten te zu zur zum af "
    "av bin ibn ben bint al el ul ur ad an binti"
)
CONJUNCTIONS = word_set("y i e")  # between the two parts of a Spanish, Catalan or Portuguese family name
SUFFIXES = {"jr": "Jr", "junior": "Jr", "sr": "Sr", "senior": "Sr", "ii": "II", "iii": "III", "iv": "IV"}
TITLES = word_set("dr prof professor mr mrs ms sir dame")
DEGREES = word_set("phd msc bsc dphil esq inc ltd llc gmbh corp ed eds editor editors")

# Family names that are often written first. Romanised Chinese, Korean and Vietnamese.
WRITTEN_FIRST = word_set(
    "ahn an bae bai bui cai cao chan chang chen cheng cheung chiang chiu cho choe choi chou chow chu chun "
    "chung cui dai dang deng ding dinh do dong du duan duong fan fang feng fong fu gan gao ge geng gong gu "
    "guan guo ha han hao he heo ho hoang hong hou hsieh hsu hu huang hung huynh hwang jang jeon jeong ji "
    "jia jiang jin jo joo ju jun jung kang kim ko kong koo kuo kwak kwok kwon lai lam lau le lee lei leung "
    "li liang liao lim lin ling liu lo long lu luo luu ly ma mai mao meng min mo moon ng ngo nguyen ni nie "
    "noh oh ou ouyang pak pan pang park peng pham phan qi qian qiao qin qiu qu ren rhee ryu seo shao shen "
    "shi shih shim shin sim so son song su suh sun sung tan tang tao teng tian to tong tran trinh truong "
    "tsai tseng tu vo vu wan wang wei wen wong woo wu xia xiao xie xiong xu xue yan yang yao ye yeh yi yin "
    "yoo yoon you yu yuan yue yun zeng zhai zhan zhang zhao zheng zhong zhou zhu zhuang zou"
)

# Short forms that are not the beginning of the full one. Each line is one name.
SHORT_FORMS = _by_form("""
    william bill billy will
    robert bob bobby rob
    richard dick rick
    james jim jimmy
    john jack johnny
    michael mike mick
    charles chuck charlie
    edward ted ed eddie
    theodore ted
    margaret peggy meg
    elizabeth liz beth betty
    henry harry hank hal
    harold harry hal
    anthony tony
    joseph joe
    stephen steven steve
    jeffrey geoffrey jeff geoff
    lawrence laurence larry
    catherine katherine kathryn kate kathy cathy
    thomas tom
    francis frank
    christopher kit
    alexander sasha alex
    nicholas nick
    jonathan jon john
    gerald jerry gerry
    andrew andy drew
""")

# Words that no author is called by: one of them makes a piece of a reply prose.
NEVER_NAMES = word_set(
    "sorry apologies apologize apologise unfortunately unknown unavailable unspecified unclear undefined "
    "anonymous anon various author authors writer writers name names title this these those there not "
    "available provided please however cannot can't couldn't unable firstname lastname surname fullname "
    "placeholder tbd tba n/a note"
)
ANSWERS = word_set("yes no none nil null na ok okay sure certainly nobody nothing blank empty")  # alone
PLACEHOLDERS = frozenset(
    {"first last", "first name last name", "first middle last", "last first", "no answer"}
)
WORDS_OF_BODIES = word_set("of for the on and")  # "The Open Group", "University of Oxford"
EAST_ASIAN_PROSE = re.compile(
    "[的是不我您你没無无沒請请謝谢知です없모]|抱歉|未知|作者|佚名|匿名|対不起|저자|죄송"
)
EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
