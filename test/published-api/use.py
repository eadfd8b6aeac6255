"""Uses the published client `qhub-api` the way its documentation shows, and prints what it saw as JSON."""

import json
import os

from qhub.api.platform import HubPlatformClient
from qhub.api.platform.core.api_error import ApiError
from qhub.api.platform.types import TenantId_User

environment = os.environ
client = HubPlatformClient(api_key=environment["ACCESS_TOKEN"], base_url=environment["BASE_URL"])
pools, shares = client.data_pools, client.data_pool_shares


def status_of(call) -> int:
    try:
        call()
    except ApiError as error:
        return error.status_code
    return 200


pool = pools.create_data_pool(name="Measured", short_description="short", tags=["Ising", "ising", "QPU"])
changed = pools.update_data_pool(pool.id, name="Measured anew", description="long")
added = pools.add_data_pool_file(pool.id, file=("a.csv", b"1,2\n", "text/csv"))
renamed = pools.add_data_pool_file(pool.id, file=b"bytes", filename="b.bin")
again = pools.add_data_pool_file(pool.id, file=("a.csv", b"3,4\n", "text/csv"))
listed = sorted(file.name for file in pools.get_data_pool_files(pool.id))
content = b"".join(pools.get_data_pool_file(pool.id, again.id)).decode()
pools.delete_data_pool_file(pool.id, renamed.id)

other = TenantId_User(value=environment["OTHER"])
share = shares.share_data_pool(pool.id, shared_with=other, role="VIEWER")
promoted = shares.update_data_pool_share_role(pool.id, share.id, role="MAINTAINER")
shared = [[one.shared_with.value, one.role, one.active] for one in shares.get_shares_for_data_pool(pool.id)]
shares.delete_data_pool_share(pool.id, share.id)

grant = client.data_pool_grants.create_data_pool_grant(
    pool.id, application_id=environment["APPLICATION"], permission="VIEW"
)

subscription = client.subscriptions.create_subscription(
    service_id=environment["SERVICE"], application_id=environment["APPLICATION"]
)
read = client.subscriptions.get_subscription(subscription.id)
client.subscriptions.delete_subscription(subscription.id)

seen = {
    "created": [pool.name, pool.short_description, pool.tags, pool.current_user_permission],
    "changed": [changed.name, changed.short_description, changed.description, changed.tags],
    "got": pools.get_data_pool(pool.id).name,
    "listed": [one.name for one in pools.get_data_pools()],
    "added": [added.name, added.content_type, added.content_length, added.data_pool_id == pool.id],
    "replaced": added.id == again.id,
    "files": listed,
    "content": content,
    "left": [file.name for file in pools.get_data_pool_files(pool.id)],
    "promoted": promoted.role,
    "shared": shared == [[environment["OTHER"], "MAINTAINER", True]],
    "unshared": shares.get_shares_for_data_pool(pool.id),
    "grant": len(grant.token.split(".")),
    "subscription": [read.service.name, read.service.version, read.service.gateway_endpoint, read.application.name],
    "ended": status_of(lambda: client.subscriptions.get_subscription(subscription.id)),
}
pools.delete_data_pool(pool.id)
seen["deleted"] = status_of(lambda: pools.get_data_pool(pool.id))
print(json.dumps(seen))
