"""Toss a coin a number of times."""
import random
import time
from typing import Any, Dict, Optional, Union

from loguru import logger

from .libs.return_objects import ErrorResponse, ResultResponse


def run(data: Optional[Dict[str, Any]] = None, params: Optional[Dict[str, Any]] = None) -> Union[ResultResponse, ErrorResponse]:
    started = time.time()
    generator = random.Random(params["seed"])
    heads = sum(generator.random() < data["bias"] for _ in range(params["shots"]))
    logger.info("{} of {} are heads", heads, params["shots"])
    return ResultResponse(metadata={"seconds": round(time.time() - started, 3)}, result={"heads": heads, "tails": params["shots"] - heads})
