import { Month, MonthlyUsage } from '@kethub/contract';
import { Type } from 'typebox';
import {
  contextOf,
  noStore,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { readMonthlyUsage } from './monthly-usage.ts';

const tag = 'Usage';
const query = Type.Object({ month: Month });

/** Endpoints for the monthly use of commercial plans, for consumers and for providers. */
export const meteringEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/usage/costs',
    id: 'readCosts',
    tag,
    access: 'cost:read',
    summary: 'Read what the use of others’ services has cost in a month',
    query,
    answers: { 200: MonthlyUsage },
    problems: [],
    run: ({ caller, query: { month } }) => readMonthlyUsage(platform, 'consumer', contextOf(caller), month),
    headers: noStore,
  }),
  endpoint({
    method: 'GET',
    path: '/usage/revenue',
    id: 'readRevenue',
    tag,
    access: 'revenue:read',
    summary: 'Read what one’s own services have earned in a month',
    description: 'Added up over all consumers; who they are is not shown.',
    query,
    answers: { 200: MonthlyUsage },
    problems: [],
    run: ({ caller, query: { month } }) => readMonthlyUsage(platform, 'provider', contextOf(caller), month),
    headers: noStore,
  }),
];
