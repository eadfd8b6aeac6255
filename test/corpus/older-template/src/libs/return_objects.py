import json
from typing import Any, Dict
class ResultResponse:
    def __init__(self, result: Dict[str, Any], metadata: Dict[str, Any] = None):
        self.result = result
        self.metadata = metadata or {}
    def to_json(self):
        return json.dumps(self.__dict__)
class ErrorResponse:
    def __init__(self, code: str, detail: str):
        self.code = code
        self.detail = detail
