import { DownloadTicket, FileName, Id, toTimestamp, Version } from '@kethub/contract';
import { Type } from 'typebox';
import { describeFile, downloadFile } from '../../catalog/datapools/index.ts';
import { downloadBuildLog, readSource, requireManagedVersion, requireVersion } from '../../catalog/services/index.ts';
import {
  contextOf,
  noStore,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { Executions } from '../executions/index.ts';
import { jobScope } from '../jobs/index.ts';
import { openTicket, sealTicket, TICKET_MS, type Content } from './ticket.ts';

const tag = 'Downloads';
const answers = { 201: DownloadTicket };
const description =
  'The address is valid for a minute, for this content and person, and needs no credential: a browser can stream it to the disk.';

/** Addresses by which a browser downloads what is too large for its memory. */
export const downloadEndpoints = (platform: Platform, executions: Executions): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/service-executions/:executionId/result/:file/ticket',
    id: 'createResultFileTicket',
    tag,
    access: 'execution:read',
    summary: 'Get an address for the download of a result file',
    description,
    params: Type.Object({ executionId: Id, file: Type.String() }),
    answers,
    problems: [
      'invalid-request',
      'execution-not-found',
      'result-not-available',
      'result-expired',
      'result-file-not-found',
    ],
    run: async ({ params, caller, request }) => {
      const scope = jobScope(platform, contextOf(caller));
      await executions.resultFileHead(scope, params.executionId, params.file, request);
      return ticketFor(platform, contextOf(caller), { kind: 'RESULT_FILE', ...params });
    },
    headers: noStore,
  }),
  endpoint({
    method: 'POST',
    path: '/data-pools/:dataPoolId/files/:name/ticket',
    id: 'createDataPoolFileTicket',
    tag,
    access: 'data-pool:read',
    summary: 'Get an address for the download of a file of a data pool',
    description,
    params: Type.Object({ dataPoolId: Id, name: FileName }),
    answers,
    problems: ['invalid-request', 'not-found', 'stale'],
    run: async ({ params, caller, request }) => {
      await describeFile(platform, contextOf(caller), params.dataPoolId, params.name, request);
      return ticketFor(platform, contextOf(caller), { kind: 'DATA_POOL_FILE', ...params });
    },
    headers: noStore,
  }),
  endpoint({
    method: 'POST',
    path: '/services/:serviceId/versions/:version/source/ticket',
    id: 'createSourceTicket',
    tag,
    access: 'service:read',
    summary: 'Get an address for the download of the source of a version',
    description,
    params: Type.Object({ serviceId: Id, version: Version }),
    answers,
    problems: ['invalid-request', 'not-found'],
    run: async ({ params, caller }) => {
      await requireVersion(platform.database.read, { owner: contextOf(caller), ...params });
      return ticketFor(platform, contextOf(caller), { kind: 'SOURCE', ...params });
    },
    headers: noStore,
  }),
  endpoint({
    method: 'POST',
    path: '/services/:serviceId/versions/:version/build/log/ticket',
    id: 'createBuildLogTicket',
    tag,
    access: 'service:read',
    summary: 'Get an address for the download of the log of a build',
    description: `${description} The log is plain text, with the lines that there are.`,
    params: Type.Object({ serviceId: Id, version: Version }),
    answers,
    problems: ['invalid-request', 'not-found'],
    run: async ({ params, caller }) => {
      await requireManagedVersion(platform.database.read, { owner: contextOf(caller), ...params });
      return ticketFor(platform, contextOf(caller), { kind: 'BUILD_LOG', ...params });
    },
    headers: noStore,
  }),
  endpoint({
    method: 'GET',
    path: '/downloads',
    id: 'download',
    tag,
    access: 'ANYONE',
    summary: 'Download what a ticket names',
    query: Type.Object({ ticket: Type.String({ maxLength: 8_000 }) }),
    answers: { 200: { media: ['*/*'] }, 206: { media: ['*/*'] }, 304: null },
    problems: [
      'ticket-expired',
      'not-found',
      'execution-not-found',
      'result-not-available',
      'result-expired',
      'result-file-not-found',
      'range-not-satisfiable',
      'stale',
      'too-many-readers',
      'readers-busy',
    ],
    handle: async ({ query, request, reply }) => {
      const { content, context } = await openTicket(platform, query.ticket);
      switch (content.kind) {
        case 'RESULT_FILE':
          return executions.resultFile(jobScope(platform, context), content.executionId, content.file, request);
        case 'DATA_POOL_FILE':
          return downloadFile(platform, context, content.dataPoolId, content.name, request);
        case 'BUILD_LOG':
          return downloadBuildLog(platform, { owner: context, ...content }, reply);
        default:
          return readSource(platform, { owner: context, serviceId: content.serviceId, version: content.version });
      }
    },
  }),
];

function ticketFor(platform: Platform, context: Context, content: Content): DownloadTicket {
  const href = `${platform.addresses.api}/downloads?ticket=${sealTicket(platform, context, content)}`;
  return { href, validUntil: toTimestamp(platform.now() + TICKET_MS) };
}
