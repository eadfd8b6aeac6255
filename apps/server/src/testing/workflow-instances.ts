import { createAccepting, prepareExecution } from '../executions/index.ts';
import { createWorkflows } from '../workflows/index.ts';
import type { TestPlatform } from './platform.ts';

const VERSION = '01890000-0000-7000-8000-00000000000b';

/** An accepted instance of a workflow that nobody has deployed, for `owner`; its start is an event in the table. */
export async function acceptedInstance(
  platform: TestPlatform,
  owner: string,
  input: object | Buffer = {},
): Promise<string> {
  const workflows = { ...createWorkflows(platform), check: () => Promise.resolve() };
  const origin = {
    scope: { of: { by: 'OWNER' as const, type: 'USER' as const, id: owner }, address: '' },
    subscriptionId: null,
    applicationId: null,
    owner: { type: 'USER' as const, id: owner },
    personId: owner,
    serviceId: VERSION,
    serviceVersionId: VERSION,
    dataPools: [],
    isWorkflow: true,
  };
  const text = Buffer.isBuffer(input) ? input : Buffer.from(JSON.stringify(input));
  const id = platform.newId();
  const prepared = await prepareExecution(platform, workflows, origin, id, text);
  await createAccepting(platform, workflows).add(prepared);
  return id;
}
