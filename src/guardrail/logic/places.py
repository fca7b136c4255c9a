"""How wide the place is that a name stands for, so that two places can be distinguished: a town is in a country.

Two different towns exclude each other as places of one birth; a town and a country do not. The lists have what is
common in texts; a name on none of them counts as a town, unless a word of it says otherwise.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from guardrail.logic.statements.words import folded, several

Level: TypeAlias = Literal["continent", "country", "region", "town", "site", "none"]

_CONTINENTS = "Africa,Antarctica,Asia,Europe,North America,South America,Oceania,Australia"
_COUNTRIES = (
    "Afghanistan,Albania,Algeria,Andorra,Angola,Argentina,Armenia,Austria,Azerbaijan,Bahamas,Bahrain,Bangladesh,"
    "Barbados,Belarus,Belgium,Belize,Benin,Bhutan,Bolivia,Bosnia and Herzegovina,Botswana,Brazil,Brunei,Bulgaria,"
    "Burkina Faso,Burundi,Cambodia,Cameroon,Canada,Cape Verde,Central African Republic,Chad,Chile,China,Colombia,"
    "Comoros,Costa Rica,Croatia,Cuba,Cyprus,Czech Republic,Denmark,Djibouti,Dominica,Dominican Republic,"
    "Ecuador,Egypt,El Salvador,Equatorial Guinea,Eritrea,Estonia,Eswatini,Ethiopia,Fiji,Finland,France,Gabon,Gambia,"
    "Germany,Ghana,Greece,Grenada,Guatemala,Guinea,Guyana,Haiti,Honduras,Hungary,Iceland,India,Indonesia,Iran,Iraq,"
    "Ireland,Israel,Italy,Ivory Coast,Jamaica,Japan,Jordan,Kazakhstan,Kenya,Kiribati,Kuwait,Kyrgyzstan,Laos,Latvia,"
    "Lebanon,Lesotho,Liberia,Libya,Liechtenstein,Lithuania,Madagascar,Malawi,Malaysia,Maldives,Mali,Malta,"
    "Mauritania,Mauritius,Mexico,Moldova,Mongolia,Montenegro,Morocco,Mozambique,Myanmar,Namibia,Nauru,"
    "Nepal,Netherlands,New Zealand,Nicaragua,Niger,Nigeria,North Korea,North Macedonia,Norway,Oman,Pakistan,"
    "Palau,Papua New Guinea,Paraguay,Peru,Philippines,Poland,Portugal,Qatar,Romania,Russia,Rwanda,Samoa,"
    "Saudi Arabia,Senegal,Serbia,Seychelles,Sierra Leone,Slovakia,Slovenia,Solomon Islands,Somalia,South Africa,"
    "South Korea,South Sudan,Spain,Sri Lanka,Sudan,Suriname,Sweden,Switzerland,Syria,Taiwan,Tajikistan,Tanzania,"
    "Thailand,Togo,Tonga,Trinidad and Tobago,Tunisia,Turkey,Turkmenistan,Tuvalu,Uganda,Ukraine,"
    "United Arab Emirates,United Kingdom,United States,United States of America,Uruguay,Uzbekistan,Vanuatu,"
    "Venezuela,Vietnam,Yemen,Zambia,Zimbabwe"
)
# What is neither a town nor one of today's states: parts of states, states of the past, small states that are towns,
# names of several states in one.
_REGIONS = (
    "England,Scotland,Wales,Northern Ireland,Great Britain,Britain,UK,USA,America,the States,Holland,Congo,Korea,"
    "Georgia,Luxembourg,Monaco,San Marino,Singapore,Vatican City,Panama,Palestine,Kosovo,Greenland,Tibet,Siberia,"
    "Catalonia,Andalusia,Castile,Basque Country,Galicia,Bavaria,Saxony,Prussia,East Prussia,Hesse,Thuringia,"
    "Swabia,Württemberg,Baden-Württemberg,Westphalia,Brandenburg,Lower Saxony,Rhineland,Silesia,Bohemia,"
    "Moravia,Galicia,Pomerania,Transylvania,Tuscany,Lombardy,Piedmont,Sicily,Sardinia,Veneto,Umbria,Lazio,Corsica,"
    "Normandy,Brittany,Burgundy,Provence,Alsace,Lorraine,Île-de-France,Flanders,Wallonia,Tyrol,Styria,Carinthia,"
    "Austria-Hungary,Soviet Union,USSR,Czechoslovakia,Yugoslavia,East Germany,West Germany,Czechia,Burma,Persia,"
    "Siam,Rhodesia,Zaire,Mesopotamia,Scandinavia,Iberia,Balkans,Caucasus,Middle East,Latin America,Central America,"
    "Central Europe,Eastern Europe,Western Europe,Caribbean,Eurasia,Americas,"
    "Alabama,Alaska,Arizona,Arkansas,California,Colorado,Connecticut,Delaware,Florida,Hawaii,Idaho,Illinois,Indiana,"
    "Iowa,Kansas,Kentucky,Louisiana,Maine,Maryland,Massachusetts,Michigan,Minnesota,Mississippi,Missouri,Montana,"
    "Nebraska,Nevada,New Hampshire,New Jersey,New Mexico,New York,North Carolina,North Dakota,Ohio,Oklahoma,Oregon,"
    "Pennsylvania,Rhode Island,South Carolina,South Dakota,Tennessee,Texas,Utah,Vermont,Virginia,Washington,"
    "West Virginia,Wisconsin,Wyoming,Ontario,Quebec,British Columbia,Alberta,Manitoba,Nova Scotia,Queensland,"
    "New South Wales,Victoria,Tasmania,Manhattan,Brooklyn,Queens,Bronx"
)
_WIDE = several(
    "county province state region district island islands valley kingdom empire republic duchy oblast prefecture "
    "canton department mountains coast peninsula north south east west northern southern eastern western central "
    "colony territory union confederation commonwealth riding shire hemisphere borough arrondissement quarter suburb"
)
_SITES = several(
    "hospital university college school palace house castle street avenue road square church cathedral abbey "
    "monastery clinic prison camp theatre theater hotel park farm villa museum sea ocean river lake"
)
# Capitalised in English, and no place.
_NO_PLACES = several(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december spring summer autumn winter christmas easter"
)


def _key(name: str) -> str:
    return folded(name).removeprefix("the ").strip()


_NAMED: tuple[tuple[str, Level], ...] = (
    (_COUNTRIES, "country"),
    (_CONTINENTS, "continent"),
    (_REGIONS, "region"),
)
_BY_NAME: dict[str, Level] = {_key(name): wide for names, wide in _NAMED for name in names.split(",")}


def level(name: str) -> Level:
    """How wide a place is by its name; "none" for what cannot be the name of one.

    Example:
        >>> level("Warsaw"), level("Poland"), level("Tuscany"), level("Charité Hospital"), level("March")
        ('town', 'country', 'region', 'site', 'none')
    """
    key = _key(name)
    if key in _BY_NAME:
        return _BY_NAME[key]
    parts = key.replace("-", " ").split()
    if (
        not parts
        or not any(letter.isupper() for letter in name)
        or set(parts) & _NO_PLACES
        or not name[0].isalpha()
    ):
        return "none"
    if set(parts) & _SITES:
        return "site"
    within = parts[1:] and parts[-1] != "city" and {"country", "region"} & {_BY_NAME.get(p) for p in parts}
    return "region" if within or set(parts) & _WIDE else "town"  # "Congress Poland", "Vichy France"
