import { AddOnPremiseVersionRequest, type CreateOnPremiseServiceRequest, type TargetRequest } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { etag, Problem, requireMatch, type Answer } from '../../foundation/http/index.ts';
import { presentTarget, targetColumns, updateTarget } from '../on-premise/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { addDraft } from './add-draft.ts';
import { onPremiseDraft } from './draft-writers.ts';
import { stateOf, targetOf } from './present.ts';
import { shapeOf } from './shapes.ts';
import { requireVersion } from './versions.ts';
import { changedVersion } from './write-versions.ts';

const bodyOf = shapeOf(AddOnPremiseVersionRequest, 'body');

export function isJson({ headers }: FastifyRequest): boolean {
  return /^application\/json *(;|$)/i.test(headers['content-type'] ?? '');
}

/** What makes two requests the same. Digests of it are kept, and one of a password could be guessed from. */
export function withoutPassword(body: CreateOnPremiseServiceRequest | AddOnPremiseVersionRequest): string {
  const { credentials } = body.target;
  return JSON.stringify({ ...body, target: { ...body.target, credentials: credentials && credentials.username } });
}

/** Adds the next version of a service that runs elsewhere. Its credentials are its own: none are taken over. */
export async function addOnPremiseVersion(
  platform: Platform,
  owner: Context,
  serviceId: string,
  wanted: string | undefined,
  request: FastifyRequest,
): Promise<Answer> {
  if (!isJson(request))
    throw new Problem('unsupported-media-type', 'Send {"target": {"url": …}} with Content-Type: application/json.');
  const body = bodyOf(request.body);
  const target = targetColumns(platform, body.target, null, '/target');
  const next = { owner, serviceId, wanted, request, content: withoutPassword(body) };
  return addDraft(platform, next, onPremiseDraft(platform, target));
}

/** Changes where a version runs; also of a published one: its operator moves a host without moving its subscribers. */
export async function setTarget(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
  target: TargetRequest,
  request: FastifyRequest,
): Promise<Answer> {
  const answer = await platform.database.write(async (transaction) => {
    const { row, service } = await requireVersion(transaction, owner, serviceId, version);
    const before = targetOf(row);
    if (!before)
      throw new Problem('not-found', `The service ${service.name} does not run elsewhere: it has no target.`);
    if (stateOf(row, platform.now()) === 'RETIRED')
      throw new Problem('version-published', `Version ${version} is retired. Nobody calls it any more.`);
    requireMatch(request.headers['if-match'], etag(row.revision));
    const columns = targetColumns(platform, target, before, '');
    await updateTarget(transaction, row.id, columns);
    await audit(platform, transaction, owner, 'service:change', serviceId, {
      version,
      from: presentTarget(before),
      to: presentTarget(columns),
      newCredentials: Boolean(target.credentials),
    });
    return changedVersion(platform, transaction, { service, row });
  });
  accessChanged(platform.database);
  return answer;
}
