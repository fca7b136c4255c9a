"""Invented JSON records, and sentences about them: right ones, and ones that another value has been put into.

Nothing of it is data of others: the values are drawn from the lists below.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Told", "record", "told"]


class Told(NamedTuple):
    """A sentence about a record; `share` is how likely the record (entails, leaves open, contradicts) it."""

    sentence: str
    share: tuple[float, float, float]


def _listed(words: str) -> list[str]:
    return words.split(",")


_RIGHT, _OPEN, _WRONG = (0.96, 0.03, 0.01), (0.03, 0.92, 0.05), (0.02, 0.13, 0.85)
_FIRST = _listed(
    "Golden,Blue,Old,Little,Green,Royal,Silver,Happy,Corner,Sunset,River,Harbor,Lucky,Red,Copper,Maple"
)
_SECOND = _listed(
    "Fork,Lantern,Garden,Anchor,Table,Oak,Bean,Crown,Spoon,Mill,Bridge,Fox,Barrel,Dragon,Olive,Star"
)
_STREETS = _listed("Main St,Oak Ave,State St,Market St,Elm St,Park Rd,Hill Blvd,Mission Ln,5th Ave,Bay St")
_CITIES = _listed("Tampa,Reno,Boise,Tucson,Austin,Denver,Portland,Omaha,Madison,Fresno,Savannah,Nashville")
_STATES = ["FL", "NV", "ID", "AZ", "TX", "CO", "OR", "NE", "WI", "CA", "GA", "TN"]
_FOODS = _listed(
    "Pizza,Sushi,Mexican,Seafood,Burgers,Bakeries,Vegan,Thai,Coffee & Tea,Barbeque,Italian,Indian"
)
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_PEOPLE = [
    "Ann Lee",
    "Carl Moss",
    "Dina Ruiz",
    "Omar Khan",
    "Eva Novak",
    "Paul Meyer",
    "Rosa Silva",
    "Ken Ito",
    "Nora Berg",
]
_JOBS = _listed("engineer,nurse,chemist,teacher,pilot,architect,poet,lawyer,geologist,violinist")
_AMENITIES = {
    "OutdoorSeating": ("outdoor seating", "offers"),
    "RestaurantsReservations": ("reservations", "accepts"),
    "RestaurantsTakeOut": ("takeout", "offers"),
    "Delivery": ("delivery", "offers"),
    "GoodForGroups": ("groups", "is suitable for"),
    "Music": ("live music", "has"),
    "WheelchairAccessible": ("wheelchair access", "has"),
    "DogsAllowed": ("dogs", "allows"),
}
_WEAKER = {"offers": "offer", "accepts": "accept", "has": "have", "allows": "allow"}
_PARKING = ["garage", "street", "validated", "lot", "valet"]
_MOODS = ["romantic", "intimate", "classy", "hipster", "touristy", "trendy", "upscale", "casual"]
_PRAISE = (
    "The {} was excellent and we will come back.", "Loved the {}, and the staff was friendly.",
    "We had the {} and it was delicious.",
)  # fmt: skip
_BLAME = (
    "The {} was cold and the service was slow.",
    "I was disappointed by the {}.",
    "The {} was overpriced.",
)
_DISHES = _listed("brunch,tacos,soup,steak,pancakes,curry,noodles,cheesecake,salad,espresso,burger,dumplings")


def record(source: random.Random) -> dict[str, Any]:
    """A business or a person."""
    return _business(source) if source.random() < 0.75 else _person(source)


def _business(source: random.Random) -> dict[str, Any]:
    place = source.randrange(len(_CITIES))
    usual = _opening(source)
    hours = {day: usual if source.random() < 0.7 else _opening(source) for day in _DAYS}
    for day in source.sample(_DAYS, source.randrange(3)):
        del hours[day]
    amenities = source.sample(sorted(_AMENITIES), source.randint(3, 6))
    attributes: dict[str, Any] = {name: source.choice([True, False, None]) for name in amenities}
    attributes["WiFi"] = source.choice(["free", "no", "paid"])
    attributes["BusinessParking"] = {kind: source.random() < 0.4 for kind in _PARKING}
    if source.random() < 0.7:
        attributes["Ambience"] = {mood: source.random() < 0.3 for mood in _MOODS}
    return {
        "name": f"{source.choice(_FIRST)} {source.choice(_SECOND)}",
        "address": f"{source.randint(10, 2400)} {source.choice(_STREETS)}",
        "city": _CITIES[place],
        "state": _STATES[place],
        "categories": ", ".join(source.sample(_FOODS, source.randint(2, 4))),
        "hours": hours,
        "attributes": attributes,
        "stars": source.choice([2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0]),
        "reviews": [_review(source) for _ in range(source.randint(1, 3))],
    }


def _opening(source: random.Random) -> str:
    return f"{source.randint(6, 11)}:{source.choice(['0', '30'])}-{source.randint(14, 23)}:{source.choice(['0', '30'])}"


def _review(source: random.Random) -> dict[str, Any]:
    dish, praised = source.choice(_DISHES), source.random() < 0.6
    text = source.choice(_PRAISE if praised else _BLAME).format(dish)
    return {"stars": source.choice([4.0, 5.0]) if praised else source.choice([1.0, 2.0]), "text": text}


def _person(source: random.Random) -> dict[str, Any]:
    born = source.randint(1890, 1985)
    return {
        "name": source.choice(_PEOPLE),
        "born": {"year": born, "place": source.choice(_CITIES)},
        "occupation": source.choice(_JOBS),
        "employer": f"{source.choice(_FIRST)} {source.choice(_SECOND)}",
        "children": source.randint(0, 5),
        "awards": [f"{source.choice(_SECOND)} Prize ({born + source.randint(25, 45)})"],
        "retired": source.choice([True, False]),
    }


def told(made: Mapping[str, Any], source: random.Random) -> Iterator[Told]:
    """Sentences about a record, in any order; about half of them right."""
    makers = _OF_BUSINESS if "hours" in made else _OF_PERSON
    for maker in source.sample(makers, len(makers)):
        found = maker(made, source)
        if found is not None:
            yield found


def _either(
    right: str, wrong: str, source: random.Random, share: tuple[float, float, float] = _WRONG
) -> Told:
    return Told(right, _RIGHT) if source.random() < 0.5 else Told(wrong, share)


def _another(options: Sequence[Any], *known: Any, source: random.Random) -> Any:
    return source.choice([one for one in options if one not in known])


def _where(made: Mapping[str, Any], source: random.Random) -> Told:
    name, city, state, kinds = made["name"], made["city"], made["state"], made["categories"].split(", ")
    form = source.choice(["{0} is located at {1} in {2}, {3}.", "{0} is a business in {2}, {3}, at {1}."])
    other = _another(_CITIES, city, source=source)
    number, street = made["address"].split(" ", 1)
    moved = f"{int(number) + source.choice([-7, 4, 10, 100])} {street}"
    wrong = source.choice(
        [form.format(name, made["address"], other, state), form.format(name, moved, city, state)]
    )
    right = form.format(name, made["address"], city, state)
    if source.random() < 0.4:
        right = f"{name} is a {kinds[0]} place in {city}, {state}."
        wrong = f"{name} is a {_another(_FOODS, *kinds, source=source)} place in {city}, {state}."
    return _either(right, wrong, source)


def _kinds(made: Mapping[str, Any], source: random.Random) -> Told:
    kinds = made["categories"].split(", ")
    form = source.choice(
        ["It serves {} and {}.", "The menu includes {} and {}.", "It is known for {} and {}."]
    )
    wrong = form.format(kinds[0], _another(_FOODS, *kinds, source=source))
    return _either(form.format(*kinds[:2]), wrong, source, _OPEN)


def _time(clock: str, source: random.Random) -> str:
    hour, minute = map(int, clock.split(":"))
    if source.random() < 0.3:
        return f"{hour}:{minute:02d}"
    shown = (hour - 1) % 12 + 1
    return f"{shown}{f':{minute:02d}' if minute else ''} {'AM' if hour < 12 else 'PM'}"


def _hours(made: Mapping[str, Any], source: random.Random) -> Told:
    hours = made["hours"]
    day = source.choice(_DAYS)
    if day not in hours:
        return Told(f"It is open on {day}s from {_time('9:0', source)} to {_time('17:0', source)}.", _OPEN)
    start, end = hours[day].split("-")
    other = _another([f"{hour}:0" for hour in range(12, 24)], end, source=source)
    form = source.choice(["On {} it is open from {} to {}.", "It opens on {} at {} and closes at {}."])
    right = form.format(day, _time(start, source), _time(end, source))
    return _either(right, form.format(day, _time(start, source), _time(other, source)), source)


def _every_day(made: Mapping[str, Any], source: random.Random) -> Told:
    hours, form = (
        made["hours"],
        source.choice(["It is open every day of the week.", "It is open seven days a week."]),
    )
    if len(hours) == len(_DAYS):
        same = len(set(hours.values())) == 1
        start, end = next(iter(hours.values())).split("-")
        if source.random() < 0.5:
            text = f"It is open daily from {_time(start, source)} to {_time(end, source)}."
            return Told(text, _RIGHT if same else _WRONG)
        return Told(form, _RIGHT)
    return Told(form, (0.05, 0.45, 0.5))


def _amenity(made: Mapping[str, Any], source: random.Random) -> Told | None:
    attributes = made["attributes"]
    name = source.choice(list(_AMENITIES))
    noun, verb = _AMENITIES[name]
    weak = f"does not {_WEAKER[verb]}" if verb in _WEAKER else "is not suitable for"
    has, lacks = f"The place {verb} {noun}.", f"The place {weak} {noun}."
    value = attributes.get(name)
    if value is None:
        return Told(source.choice([has, has, lacks]), _OPEN)
    return _either(has if value else lacks, lacks if value else has, source)


def _several(made: Mapping[str, Any], source: random.Random) -> Told | None:
    """Amenities listed; one that is absent makes the list wrong."""
    attributes = made["attributes"]
    yes = [_AMENITIES[one][0] for one in attributes if one in _AMENITIES and attributes[one]]
    no = [_AMENITIES[one][0] for one in attributes if one in _AMENITIES and attributes[one] is False]
    kinds = [kind for kind, has in attributes["BusinessParking"].items() if has]
    yes += [f"{kind} parking" for kind in kinds]
    no += [f"{kind} parking" for kind, has in attributes["BusinessParking"].items() if not has]
    yes += ["free WiFi"] if attributes["WiFi"] == "free" else []
    if len(yes) < 2:
        return None
    some = source.sample(yes, min(len(yes), source.randint(2, 4)))
    wrong = list(some)
    if no:
        wrong[source.randrange(len(wrong))] = source.choice(no)
    form = source.choice(
        ["Amenities include {} and {}.", "Customers can expect {} and {}.", "It offers {} and {}."]
    )
    right = form.format(", ".join(some[:-1]), some[-1])
    return (
        _either(right, form.format(", ".join(wrong[:-1]), wrong[-1]), source) if no else Told(right, _RIGHT)
    )


def _mood(made: Mapping[str, Any], source: random.Random) -> Told | None:
    moods = made["attributes"].get("Ambience")
    if not moods:
        return Told(f"The ambience is {source.choice(_MOODS)}.", _OPEN)
    yes, no = ([mood for mood in _MOODS if moods[mood] is has] for has in (True, False))
    if not yes or not no:
        return None
    form = source.choice(["The ambience is described as {}.", "It has a {} atmosphere."])
    return _either(form.format(source.choice(yes)), form.format(source.choice(no)), source)


def _stars(made: Mapping[str, Any], source: random.Random) -> Told:
    form = source.choice(
        ["It has a rating of {} stars.", "Customers rate it {} out of 5.", "Its overall rating is {} stars."]
    )
    return _either(form.format(made["stars"]), form.format(_another([2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0], made["stars"], source=source)), source)  # fmt: skip


def _opinion(made: Mapping[str, Any], source: random.Random) -> Told:
    one = source.choice(made["reviews"])
    dish = next(dish for dish in _DISHES if dish in one["text"])
    named = {dish for review in made["reviews"] for dish in _DISHES if dish in review["text"]}
    good = one["stars"] >= 3
    praise, blame = "One customer praised the {}.", "One reviewer complained about the {}."
    if source.random() < 0.35:
        return Told(source.choice([praise, blame]).format(_another(_DISHES, *named, source=source)), _OPEN)
    if sum(dish in review["text"] for review in made["reviews"]) > 1:
        return Told((praise if good else blame).format(dish), _RIGHT)
    return _either((praise if good else blame).format(dish), (blame if good else praise).format(dish), source)


def _born(made: Mapping[str, Any], source: random.Random) -> Told:
    name, year, place = made["name"], made["born"]["year"], made["born"]["place"]
    form = source.choice(["{} was born in {} in {}.", "{}, a native of {}, was born in {}."])
    wrong = form.format(name, place, year + source.choice([-9, -2, 1, 3, 10]))
    if source.random() < 0.5:
        wrong = form.format(name, _another(_CITIES, place, source=source), year)
    return _either(form.format(name, place, year), wrong, source)


def _work(made: Mapping[str, Any], source: random.Random) -> Told:
    form = source.choice(["{0} worked as a {1} for {2}.", "{0} is a {1} employed by {2}."])
    other = _another(_JOBS, made["occupation"], source=source)
    name, employer = made["name"], made["employer"]
    return _either(
        form.format(name, made["occupation"], employer), form.format(name, other, employer), source
    )


def _children(made: Mapping[str, Any], source: random.Random) -> Told:
    count = made["children"]
    words = ["no children", "one child", "two children", "three children", "four children", "five children"]
    form = f"{made['name'].split()[0]} has {{}}."
    return _either(
        form.format(words[count]), form.format(_another(words, words[count], source=source)), source
    )


def _award(made: Mapping[str, Any], source: random.Random) -> Told:
    prize, year = made["awards"][0].rstrip(")").split(" (")
    form = f"{made['name']} received the {{}} in {{}}."
    wrong = form.format(prize, int(year) + source.choice([-4, -1, 2, 7]))
    if source.random() < 0.4:
        wrong = form.format(f"{_another(_SECOND, prize.split()[0], source=source)} Prize", year)
    return _either(form.format(prize, year), wrong, source)


def _retired(made: Mapping[str, Any], source: random.Random) -> Told:
    yes, no = f"{made['name']} has retired.", f"{made['name']} is still working."
    return _either(yes if made["retired"] else no, no if made["retired"] else yes, source)


_Maker = Callable[[Mapping[str, Any], random.Random], Told | None]
_OF_BUSINESS: Sequence[_Maker] = (
    _where, _kinds, _hours, _every_day, _amenity, _several, _mood, _stars, _opinion,
)  # fmt: skip
_OF_PERSON: Sequence[_Maker] = (_born, _work, _children, _award, _retired)


def as_document(made: Mapping[str, Any]) -> str:
    """The record as JSON."""
    return json.dumps(made, ensure_ascii=False)
