import sys

import numpy as np
from loguru import logger


def run(data, params):
    matrix = np.array(data["matrix"], dtype=float)
    values, vectors = np.linalg.eigh(matrix)
    logger.debug("numpy {}", np.__version__)
    return {"values": values, "largest": values.max(), "rank": np.linalg.matrix_rank(matrix), "python": "%d.%d" % sys.version_info[:2]}
