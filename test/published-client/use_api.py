"""Uses the seven operations of a service through the published client `qhub-api`, and prints what it saw as JSON."""

import json
import os
import time

from qhub.api.service import HubServiceClient

client = HubServiceClient(base_url=os.environ["ENDPOINT"], token="any").service_api


def start(**params):
    return client.start_execution(request={"data": {}, "params": params})


def ended(execution):
    while execution.status in ("PENDING", "RUNNING"):
        time.sleep(0.05)
        execution = client.get_status(execution.id)
    return execution


started = start(**{"print": ["one", "two"], "files": {"a.txt": "the file"}, "return": {"cut": 3}})
done = ended(started)
result = client.get_result(done.id)
sleeping = start(sleep=60)
while client.get_status(sleeping.id).status != "RUNNING":
    time.sleep(0.05)
client.cancel_execution(sleeping.id)
failed = ended(start(**{"raise": "no such graph"}))

print(
    json.dumps(
        {
            "started": [started.id == done.id, started.created_at == done.created_at],
            "status": [done.status, done.type],
            "times": [bool(one) for one in (done.created_at, done.started_at, done.ended_at)],
            "result": result.model_extra,
            "embedded": result.embedded.status.id == done.id,
            "links": sorted(name for name, _ in result.links),
            "content": b"".join(client.get_result_file(done.id, "a.txt")).decode(),
            "log": [[entry.severity, entry.message] for entry in client.get_logs(done.id)],
            "cancelled": ended(client.get_status(sleeping.id)).status,
            "failed": [failed.status, client.get_result(failed.id).model_extra["detail"]],
            "listed": sorted(one.id for one in client.get_service_executions())
            == sorted([done.id, sleeping.id, failed.id]),
        }
    )
)
