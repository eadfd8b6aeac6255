from typing import Dict, List, Optional

from pydantic import BaseModel, Field


class Item(BaseModel):
    name: str
    weight: int = Field(ge=1)
    value: float


class InputData(BaseModel):
    items: List[Item]


class InputParams(BaseModel):
    capacity: int
    round_off: Optional[bool] = True


class CalculationResult(BaseModel):
    value: float
    chosen: List[str]
    weights: Dict[str, int]


def run(data: InputData, params: InputParams) -> CalculationResult:
    best = [(0.0, ())] * (params.capacity + 1)
    for item in data.items:
        for room in range(params.capacity, item.weight - 1, -1):
            value, names = best[room - item.weight]
            best[room] = max(best[room], (value + item.value, names + (item.name,)))
    value, names = best[params.capacity]
    return CalculationResult(value=value, chosen=sorted(names), weights={one.name: one.weight for one in data.items if one.name in names})
