import { AuditEntry } from '@kethub/contract';
import { Type } from 'typebox';
import { contextOf, list, platformEndpoint as endpoint, type PlatformEndpoint } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { AuditQuery, readAuditLog } from './read-audit-log.ts';

/** The endpoint of the audit log. */
export const auditEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/audit-log',
    id: 'readAuditLog',
    tag: 'Audit log',
    access: 'audit-log:read',
    summary: 'Read every change of rights, keys and publications, and your sign-ins, newest first',
    query: AuditQuery,
    answers: { 200: Type.Array(AuditEntry) },
    problems: [],
    handle: ({ caller, query }) => list(query, readAuditLog(platform, contextOf(caller), query)),
  }),
];
