"""Uses the published client library planqk-service-sdk 2.x the way its documentation shows, and prints what it saw as JSON."""

import json
import os
import time

from planqk.service.client import PlanqkServiceClient

environment = os.environ
client = PlanqkServiceClient(
    environment["ENDPOINT"], environment["ACCESS_KEY_ID"], environment["SECRET_ACCESS_KEY"], environment["TOKEN_ENDPOINT"]
)

execution = client.run(request={"data": {}, "params": {"return": {"cut": 3}}})
execution.wait_for_final_state(wait=0.1)
status = execution.status
# Cancelling an execution that has ended is no error, and changes nothing.
execution.cancel()
execution.refresh()

sleeping = client.run(request={"data": {}, "params": {"sleep": 60}})
while sleeping.status != "RUNNING":
    time.sleep(0.05)
    sleeping.refresh()
sleeping.cancel()
sleeping.cancel()
sleeping.refresh()

reported = execution._service_execution

print(
    json.dumps(
        {
            "status": status,
            "cut": execution.result().cut,
            "cancelled": sleeping.status,
            "ended": execution.status,
            "reported": [reported.type, reported.service_id, reported.service_definition_id, reported.application_id],
        }
    )
)
