import { pageOfExecutions, presentStatus } from '../executions/index.ts';
import { list, type Answer, type ListQuery } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import type { Subscriber } from './access.ts';
import { executionLinks } from './links.ts';

/** `GET /`: executions of this subscription, newest first. */
export function listExecutions(platform: Platform, caller: Subscriber, query: ListQuery): Promise<Answer> {
  return list(query, {
    address: `${caller.endpoint}/`,
    load: (cursor, limit) => pageOfExecutions(platform.database, caller.subscriptionId, cursor, limit),
    present: (row) => ({ ...presentStatus(row), _links: executionLinks(caller.endpoint, row.id) }),
  });
}
