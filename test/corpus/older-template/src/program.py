import six
from typing import Any, Dict, Optional, Union
from .libs.return_objects import ResultResponse, ErrorResponse
def run(data: Optional[Dict[str, Any]] = None, params: Optional[Dict[str, Any]] = None) -> Union[ResultResponse, ErrorResponse]:
    return ResultResponse(result={"sum": sum(data["values"])}, metadata={"execution_time": 0.1})
