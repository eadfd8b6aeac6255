import { createPlatformClient, workflowForm, type PlatformClient } from '@kethub/client';
import type { MemberRole } from '@kethub/contract';
import { build, deploy, type TestKethub } from '@kethub/server/testing/kethub';
import { listing } from '@kethub/server/testing/marketplace';
import { CALLING, HOSTILE } from './calling-workflow.ts';

const FILES = {
  'src/program.py': `from pathlib import Path


def run(shots: int = 100) -> dict:
    """Throws a coin, so many times."""
    print("throws", shots, "times")
    Path("/var/runtime/output/notes.txt").write_text("head or tail")
    return {"counts": {"0": shots // 2, "1": shots - shots // 2}}
`,
};

/** Resources of a user or an organization, one of each kind that has a screen of its own: the ids by their names. */
interface ExampleResources {
  /** A published Python service with the draft 1.0.1, a listing and two executions. */
  readonly service: string;
  readonly draft: string;
  readonly executions: readonly [string, string];
  readonly application: string;
  readonly dataPool: string;
  /** A workflow with an instance that stands still. */
  readonly workflow: string;
  readonly instance: string;
  /** An implementation with one commit. */
  readonly implementation: string;
  readonly commit: string;
}

/** Resources of a context, and a service of somebody else that is shared there. */
export interface Shown extends ExampleResources {
  readonly shared: string;
}

/** Resources of ada, and of an organization of hers with a member of each other role. */
export interface BothContexts {
  readonly own: Shown;
  readonly organizationId: string;
  readonly ofOrganization: Shown;
}

export const MEMBERS: Readonly<Record<string, MemberRole>> = { grace: 'VIEWER', linus: 'MAINTAINER' };

/** Makes everything that the screens of a person and of an organization show. */
export async function makeBothContexts(kethub: TestKethub): Promise<BothContexts> {
  const { client, platform, loginSession } = kethub;
  const { id: organizationId } = await client.createOrganization({ json: { name: 'Lab' } });
  for (const [name, role] of Object.entries(MEMBERS)) {
    const other = await kethub.signIn(name);
    const invitation = await client.invite({ organizationId, json: { email: `${name}@example.org`, role } });
    await other.client.acceptInvitation({ invitationId: invitation.id });
  }
  const provider = await kethub.signIn('provider');
  const { id: shared } = (await build(provider.client, 'Shared coin', FILES)).service;
  await provider.client.publishServiceVersion({
    serviceId: shared,
    version: '1.0.0',
    json: { visibility: 'INTERNAL' },
  });
  const me = await client.getMe();
  for (const recipient of [
    { type: 'USER' as const, id: me.id },
    { type: 'ORGANIZATION' as const, id: organizationId },
  ])
    await provider.client.createShare({ serviceId: shared, json: { recipient } });
  const inside = createPlatformClient({
    baseUrl: platform.addresses.api,
    credential: { loginSession },
    organizationId,
  });
  return {
    own: { ...(await makeResources(client)), shared },
    organizationId,
    ofOrganization: { ...(await makeResources(inside)), shared },
  };
}

/** Makes them in the context of this client. */
async function makeResources(client: PlatformClient): Promise<ExampleResources> {
  const { service, application } = await deploy(client, 'Coin', FILES);
  const serviceId = service.id;
  const headers = { prefer: 'wait=60' };
  const started = [10, 20].map((shots) => client.startJob({ serviceId, json: { shots }, headers }));
  const [first, second] = await Promise.all(started);
  if (!first || !second) throw new Error('Two executions were started');
  await client.publishListing({ serviceId, json: listing() });
  const source = await (await client.downloadSource({ serviceId, version: '1.0.0' })).blob();
  const { version: draft } = await client.addServiceVersion({ serviceId, body: source });
  const pool = await client.createDataPool({ json: { name: 'Graphs' } });
  const name = 'one.csv';
  await client.uploadDataPoolFile({ dataPoolId: pool.id, name, body: new Blob(['1,2\n']) });
  const body = workflowForm({ name: 'Calling', applicationId: application.id, source: new Blob([CALLING]) });
  const { id: workflow } = await client.createService({ body });
  await client.publishServiceVersion({ serviceId: workflow, version: '1.0.0', json: { visibility: 'INTERNAL' } });
  const instance = await client.startJob({ serviceId: workflow, json: { x: HOSTILE } });
  const { id: implementation } = await client.createImplementation({ json: { name: 'coin' } });
  const commit = new FormData();
  commit.set('message', 'Add the program');
  commit.append('files', new Blob([FILES['src/program.py']]), 'src/program.py');
  const pushed = await client.commitToImplementation({ implementationId: implementation, body: commit });
  return {
    service: serviceId,
    draft,
    executions: [first.id, second.id],
    application: application.id,
    dataPool: pool.id,
    workflow,
    instance: instance.id,
    implementation,
    commit: pushed.commit,
  };
}
