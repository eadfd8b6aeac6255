"""Rows of docs/python-values.md: what Kethub makes of a value for an annotation, beside what qhub-commons makes of it.

Prints the rows of a table in Markdown.
"""

import json
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, NamedTuple, NewType, Optional, Set, Tuple, TypedDict, Union
from uuid import UUID

from kethub_runtime.conversion import convert
from kethub_runtime.failures import Failure
from loguru import logger
from pydantic import BaseModel, Field
from qhub.commons.parameters import str_to_parameter_type

logger.remove()


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Point:
    x: float
    y: float = 0.0
    tags: list[str] = field(default_factory=list)


class Edge(NamedTuple):
    source: int
    weight: float = 1.0


class Options(TypedDict, total=False):
    shots: int


class Model(BaseModel):
    shots: int
    seed: Optional[int] = None


class Nested(BaseModel):
    points: List[Model]


Shots = NewType("Shots", int)
PAIRS = [
    ("str", str, "abc"), ("str", str, ""), ("str", str, 5), ("str", str, None), ("str", str, True), ("str", str, ["a"]),
    ("int", int, 5), ("int", int, -3), ("int", int, 5.0), ("int", int, 5.5), ("int", int, "5"), ("int", int, True), ("int", int, None),
    ("int", int, 2**63), ("int", int, []),
    ("float", float, 1.5), ("float", float, 2), ("float", float, "1.5"), ("float", float, False), ("float", float, None),
    ("bool", bool, True), ("bool", bool, False), ("bool", bool, 0), ("bool", bool, "false"), ("bool", bool, None),
    ("complex", complex, 2), ("complex", complex, [1, 2]), ("complex", complex, "1+2j"),
    ("bytes", bytes, "abc"), ("bytes", bytes, 1),
    ("list", list, [1, "a"]), ("list", list, {"a": 1}), ("list", list, "ab"), ("list", list, None),
    ("dict", dict, {"a": 1}), ("dict", dict, [1]), ("dict", dict, "x"), ("dict", dict, None),
    ("tuple", tuple, [1, 2]), ("tuple", tuple, {"a": 1}),
    ("set", set, [1, 2]), ("set", set, [1, 1]), ("set", set, [[1]]), ("set", set, "ab"),
    ("frozenset", frozenset, [1, 2]),
    ("list[int]", list[int], [1, 2]), ("list[int]", list[int], ["1"]), ("list[int]", list[int], [1.5]), ("list[int]", list[int], [None]),
    ("List[float]", List[float], [1, 2.5]), ("list[str]", list[str], ["a"]), ("list[str]", list[str], [1]),
    ("list[list[int]]", list[list[int]], [[1], [2]]), ("list[list[int]]", list[list[int]], [[1], 2]),
    ("tuple[int, str]", tuple[int, str], [1, "a"]), ("tuple[int, str]", tuple[int, str], [1]), ("tuple[int, str]", tuple[int, str], ["a", 1]),
    ("Tuple[int, ...]", Tuple[int, ...], [1, 2, 3]), ("tuple[int, ...]", tuple[int, ...], []),
    ("set[int]", set[int], [1, 2]), ("Set[str]", Set[str], ["a"]), ("set[int]", set[int], ["a"]),
    ("FrozenSet[int]", FrozenSet[int], [1]),
    ("dict[str, int]", dict[str, int], {"a": 1}), ("dict[str, int]", dict[str, int], {"a": "1"}), ("dict[int, float]", dict[int, float], {"1": 2}),
    ("dict[int, int]", dict[int, int], {"a": 1}), ("Dict[str, List[int]]", Dict[str, List[int]], {"a": [1]}),
    ("dict[bool, int]", dict[bool, int], {"true": 1}), ("dict[Color, int]", dict[Color, int], {"red": 1}),
    ("int | None", Optional[int], 5), ("int | None", Optional[int], None), ("int | None", Optional[int], "x"),
    ("int | str", Union[int, str], "5"), ("int | str", Union[int, str], 5), ("int | float", Union[int, float], 1.5), ("float | int", Union[float, int], 3),
    ("int | list[int]", Union[int, list[int]], [1]), ("int | list[int]", Union[int, list[int]], ["a"]),
    ("Literal['a', 1]", Literal["a", 1], "a"), ("Literal['a', 1]", Literal["a", 1], 1), ("Literal['a', 1]", Literal["a", 1], "b"),
    ("Literal['a', 1]", Literal["a", 1], True),
    ("Color", Color, "red"), ("Color", Color, "RED"), ("Color", Color, "green"), ("Level", Level, 2), ("Level", Level, "HIGH"), ("Level", Level, True),
    ("list[Color]", list[Color], ["red", "BLUE"]),
    ("date", date, "2026-01-31"), ("date", date, "31.1.2026"), ("datetime", datetime, "2026-01-31T12:00:00"),
    ("datetime", datetime, "2026-01-31 12:00:00Z"), ("datetime", datetime, 5), ("time", time, "12:30:00"), ("timedelta", timedelta, 1.5),
    ("UUID", UUID, "00000000-0000-0000-0000-000000000001"), ("UUID", UUID, "1"),
    ("Decimal", Decimal, 0.1), ("Decimal", Decimal, "1.10"), ("Decimal", Decimal, "x"), ("Fraction", Fraction, "1/3"),
    ("Path", Path, "a/b"), ("Path", Path, 1),
    ("Any", Any, {"a": [1]}), ("Any", Any, "x"), ("object", object, 1),
    ("Sequence[int]", Sequence[int], [1]), ("Mapping[str, int]", Mapping[str, int], {"a": 1}), ("deque[int]", deque[int], [1]),
    ("OrderedDict[str, int]", OrderedDict[str, int], {"a": 1}), ("defaultdict[str, int]", defaultdict[str, int], {"a": 1}),
    ("Counter[str]", Counter[str], {"a": 2}), ("Shots", Shots, 5), ("Annotated[int, 'shots']", Annotated[int, "shots"], 5),
    ("Annotated[int, Field(gt=0)]", Annotated[int, Field(gt=0)], 0),
    ("Point", Point, {"x": 1}), ("Point", Point, {"y": 1}), ("Point", Point, {"x": "1"}), ("Point", Point, {"x": 1, "tags": [1]}),
    ("list[Point]", list[Point], [{"x": 1}]), ("Edge", Edge, [1, 2]), ("Edge", Edge, {"source": 1}), ("Options", Options, {"shots": 5}),
    ("Options", Options, {"shots": "5"}), ("Model", Model, {"shots": 5}), ("Model", Model, {"shots": "5"}), ("Model", Model, {}),
    ("Nested", Nested, {"points": [{"shots": 1}]}), ("Nested", Nested, {"points": [{"shots": "x"}]}), ("list[Model]", list[Model], [{"shots": 1}]),
    ("dict[str, Model]", dict[str, Model], {"a": {"shots": 1}}), ("Model | None", Optional[Model], None), ("Model | None", Optional[Model], {"shots": "x"}),
]  # fmt: skip


def shown(value) -> str:
    return repr(value).replace("__main__.", "")


def ours(annotation, value) -> tuple[bool, str]:
    try:
        return True, shown(convert(value, annotation, "data"))
    except Failure as failure:
        return False, failure.detail.replace("data: ", "", 1)


def theirs(annotation, value) -> tuple[bool, str]:
    try:
        return True, shown(str_to_parameter_type(json.dumps(value), annotation))
    except Exception as error:  # whatever it raises is its refusal
        return False, type(error).__name__


def decision(here: tuple[bool, str], there: tuple[bool, str]) -> str:
    if here[0] == there[0] and (not here[0] or here[1] == there[1]):
        return "the same"
    if not there[0]:
        return "accepted: JSON has a form for it"
    return "accepted: the value as it was sent" if here[0] else "refused: the value would change"


def cell(accepted: bool, text: str) -> str:
    text = text.replace("|", "\\|")
    return f"`{text}`" if accepted else f"refused: {text}"


for name, annotation, value in PAIRS:
    here, there = ours(annotation, value), theirs(annotation, value)
    cells = (cell(True, name), cell(True, json.dumps(value)), cell(*here), cell(*there), decision(here, there))
    print(f"| {' | '.join(cells)} |")
