import { workflowForm } from '@kethub/client';
import type { Dashboard } from './browser.ts';

/** Makes a workflow of a file as a draft, and returns its id. */
export async function draftOf({ kethub }: Dashboard, applicationId: string, xml: string): Promise<string> {
  const source = new Blob([xml], { type: 'application/xml' });
  const name = `Flow ${crypto.randomUUID().slice(0, 8)}`;
  return (await kethub.client.createService({ body: workflowForm({ name, applicationId, source }) })).id;
}

/** The file of the first version of a workflow, as it is saved now. */
export async function savedIn({ kethub }: Dashboard, serviceId: string): Promise<string> {
  return (await kethub.client.downloadSource({ serviceId, version: '1.0.0' })).text();
}
