"""Uses the published client library the way its documentation shows, and prints what it saw as JSON."""

import json
import os
import time
from pathlib import Path

from qhub.service.client import HubServiceClient

environment = os.environ
client = HubServiceClient(
    environment["ENDPOINT"], environment["ACCESS_KEY_ID"], environment["SECRET_ACCESS_KEY"], environment["TOKEN_ENDPOINT"]
)


def run(**params):
    return client.run(request={"data": {}, "params": params})


execution = run(**{"print": ["one", "two"], "files": {"a.txt": "the file"}, "return": {"cut": 3}})
execution.wait_for_final_state(wait=0.1)
tagged = client.run(request={"data": {}, "params": {"return": {"cut": 4}}}, tags=["nightly", "two"])
started = tagged._service_execution
tagged.wait_for_final_state(wait=0.1)
metadata = tagged.result().metadata()
result = execution.result()
execution.download_result_file("a.txt", environment["TARGET"])

sleeping = run(sleep=60)
while sleeping.status != "RUNNING":
    time.sleep(0.05)
    sleeping.refresh()
sleeping.cancel()
sleeping.refresh()

failing = run(**{"raise": "no such graph"})
failing.wait_for_final_state(wait=0.1)
# Cancelling an execution that has ended is no error, and changes nothing.
failing.cancel()
failing.refresh()

print(
    json.dumps(
        {
            "status": execution.status,
            "result": result.data(),
            "files": result.files(),
            "content": Path(environment["TARGET"], "a.txt").read_text(),
            "log": [{"severity": entry.severity, "message": entry.message} for entry in execution.logs()],
            "cancelled": sleeping.status,
            "failed": failing.status,
            "cause": failing.result().data(),
            "reported": [
                [one.type, one.service_id, one.service_definition_id, one.application_id, one.tags]
                for one in (
                    started,
                    tagged._service_execution,
                    metadata,
                    *[one for one in client.api.get_service_executions() if one.id == tagged.id],
                )
            ],
            "untagged": execution._service_execution.tags,
            "listed": len(client.get_service_executions()),
        }
    )
)
