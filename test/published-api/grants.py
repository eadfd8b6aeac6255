"""Runs a service with data pools of somebody else through grants, with the published client `qhub-service`."""

import json
import os

from qhub.service.client import HubPlatformClient, HubServiceClient
from qhub.service.datapool import DataPoolGrant, DataPoolPermission

environment = os.environ
client = HubServiceClient(
    environment["ENDPOINT"],
    environment["ACCESS_KEY_ID"],
    environment["SECRET_ACCESS_KEY"],
    environment["TOKEN_ENDPOINT"],
    platform_client=HubPlatformClient(api_key=environment["ACCESS_TOKEN"], platform_endpoint=environment["BASE_URL"]),
)
grant = DataPoolGrant(
    name="pool",
    datapool_id=environment["POOL"],
    application_id=environment["APPLICATION"],
    permission=DataPoolPermission[environment.get("PERMISSION", "VIEW")],
)
execution = client.run(request={}, grants=[grant])
execution.wait_for_final_state(wait=0.1)
print(json.dumps([execution.status, execution.result().data()]))
