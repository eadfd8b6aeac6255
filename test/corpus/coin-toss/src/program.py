import random
from typing import Any, Dict
from loguru import logger
from pydantic import BaseModel, Field

class InputData(BaseModel):
    tosses: int = Field(default=2)

class InputParams(BaseModel):
    shots: int = Field(default=100)
    seed: int = 7

class Outcome(BaseModel):
    counts: Dict[str, Any]
    shots: int

def run(data: InputData, params: InputParams) -> Outcome:
    """Tosses coins."""
    source = random.Random(params.seed)
    counts: Dict[str, int] = {}
    for _ in range(params.shots):
        word = "".join(source.choice("01") for _ in range(data.tosses))
        counts[word] = counts.get(word, 0) + 1
    logger.info("tossed")
    return Outcome(counts=counts, shots=params.shots)
