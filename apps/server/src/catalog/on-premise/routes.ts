import { Id, UsageRecord, UsageReport } from '@kethub/contract';
import { Type } from 'typebox';
import { contextOf, platformEndpoint as endpoint, type PlatformEndpoint } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { reportUsage } from './report-usage.ts';

/** Endpoints for providers of on-premise services, beside those of `services`. */
export const onPremiseEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/services/:serviceId/usage',
    id: 'reportUsage',
    tag: 'Usage',
    access: 'usage:report',
    summary: 'Report use of an on-premise service',
    description:
      'For its provider: what was used through a subscription. With `test` the report is checked and recorded like any other and never counted. An `Idempotency-Key` makes a report that is sent again count once.',
    params: Type.Object({ serviceId: Id }),
    body: UsageReport,
    answers: { 201: UsageRecord },
    problems: ['not-found', 'conflict', 'request-in-progress', 'idempotency-key-reused'],
    run: ({ params, body, caller, request }) =>
      reportUsage(platform, contextOf(caller), params.serviceId, body, request.headers['idempotency-key']),
  }),
];
