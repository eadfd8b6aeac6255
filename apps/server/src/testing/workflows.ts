import { workflowForm } from '@kethub/client';
import type { PlatformClient } from '@kethub/client';
import type { Application, Service } from '@kethub/contract';
import * as bpmn from '../../../../packages/workflow/src/testing/xml.ts';
import { publishFor, type DeployedService } from './kethub.ts';

export { bpmn };

/** Extension elements of a task that calls this service. */
export function calls(serviceId: string, more: Readonly<Record<string, string>> = {}): string {
  const headers = Object.entries({ serviceId, ...more }).map(
    ([key, value]) => `<zeebe:header key="${key}" value="${value}"/>`,
  );
  return `<zeebe:taskDefinition type="platform-service"/><zeebe:taskHeaders>${headers.join('')}</zeebe:taskHeaders>`;
}

/** The plain start event with a Request Schema. */
export function start(schema?: object): string {
  const text = JSON.stringify(schema ?? {})
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');
  return bpmn.start('start', '', { extensions: schema ? `<kethub:requestSchema>${text}</kethub:requestSchema>` : '' });
}

export function asFile(xml: string): Blob {
  return new Blob([xml], { type: 'application/xml' });
}

export interface DeployedWorkflow extends DeployedService {
  /** The application as which the tasks call services. */
  readonly caller: Application;
}

/**
 * Deploys a workflow, with an application subscribed to it. Its tasks call services as `caller`, another application.
 */
export async function deployWorkflow(
  client: PlatformClient,
  name: string,
  xml: string,
  services: readonly Pick<Service, 'id'>[] = [],
): Promise<DeployedWorkflow> {
  const caller = await client.createApplication({ json: { name: `${name} workflow` } });
  for (const { id } of services) await client.subscribe({ applicationId: caller.id, json: { serviceId: id } });
  const service = await client.createService({
    body: workflowForm({ name, applicationId: caller.id, source: asFile(xml) }),
  });
  return { ...(await publishFor(client, name, service)), caller };
}
