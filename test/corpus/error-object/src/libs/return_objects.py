class Response:
    """Base of what the program answers."""

    def to_json(self):
        return vars(self)


class ResultResponse(Response):
    def __init__(self, result, metadata=None):
        self.result = result
        self.metadata = metadata


class ErrorResponse(Response):
    def __init__(self, code: str, detail: str):
        self.code = code
        self.detail = detail
