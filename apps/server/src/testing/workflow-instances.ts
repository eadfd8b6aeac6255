import { createAccepting, prepareExecution } from '../running/executions/index.ts';
import { unknownParameters } from '@kethub/service-api';
import { createWorkflows } from '../running/workflows/index.ts';
import type { Platform } from '../foundation/platform.ts';
import type { TestPlatform } from './platform.ts';

const VERSION = '01890000-0000-7000-8000-00000000000b';

/** The port of workflows without input checks, because no version is deployed. */
export function workflowsWithoutVersions(platform: Platform) {
  return Object.assign(createWorkflows(platform), {
    check: () => Promise.resolve(),
    parameters: () => Promise.resolve(unknownParameters),
  });
}

/** Accepts an instance of a workflow that is not deployed, for `owner`. Its start is an event in the table. */
export async function acceptedInstance(
  platform: TestPlatform,
  owner: string,
  input: object | Buffer = {},
): Promise<string> {
  const [id = ''] = await acceptedInstances(platform, owner, 1, input);
  return id;
}

/** Accepts this many instances. Returns their ids. */
export async function acceptedInstances(
  platform: TestPlatform,
  owner: string,
  count: number,
  input: object | Buffer = {},
): Promise<string[]> {
  const workflows = workflowsWithoutVersions(platform);
  const accepting = createAccepting(platform, workflows);
  const origin = {
    scope: { of: { by: 'OWNER' as const, type: 'USER' as const, id: owner }, address: '' },
    subscriptionId: null,
    applicationId: null,
    owner: { type: 'USER' as const, id: owner },
    personId: owner,
    serviceId: VERSION,
    serviceVersionId: VERSION,
    program: { type: 'WORKFLOW' as const },
  };
  const text = Buffer.isBuffer(input) ? input : Buffer.from(JSON.stringify(input));
  const ids = Array.from({ length: count }, () => platform.newId());
  const accept = async (id: string) => accepting.add(await prepareExecution(platform, workflows, origin, id, text));
  await Promise.all(ids.map(accept));
  return ids;
}
