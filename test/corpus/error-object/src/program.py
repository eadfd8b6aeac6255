import logging

from .libs.return_objects import ErrorResponse, ResultResponse

logging.basicConfig(level=logging.DEBUG)
log = logging.getLogger(__name__)


def run(data=None, params=None):
    try:
        nodes = data["nodes"]
        if len(nodes) % 2:
            raise ValueError(f"{len(nodes)} nodes have no perfect matching")
        return ResultResponse(result=list(zip(nodes[::2], nodes[1::2])))
    except ValueError as error:
        log.error("refused: %s", error)
        return ErrorResponse(code="400", detail=str(error))
