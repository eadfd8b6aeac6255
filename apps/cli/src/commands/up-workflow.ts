import { workflowForm } from '@kethub/client';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Service, ServiceVersion, WorkflowProblem } from '@kethub/contract';
import { usageFailure } from '../failures.ts';
import { selectService } from '../platform/select-service.ts';
import type { Session } from '../platform/session.ts';
import type { Manifest } from '../project/manifest-content.ts';
import { commandFor, endWith, type Shell } from '../shell.ts';
import { printable, type Output } from '../terminal/output.ts';

/** The workflow project that is deployed. */
interface WorkflowProject {
  readonly folder: string;
  /** The folder as the user wrote it, if at all. */
  readonly wanted: string | undefined;
  readonly manifest: Manifest;
}

/**
 * Deploys the workflow of a folder. Its tasks call services as the application of the command line, which subscribes to
 * them. The file names the services, because it cannot know the ids that they have on this platform.
 */
export async function upWorkflow(
  shell: Shell,
  output: Output,
  session: Session,
  { folder, wanted, manifest }: WorkflowProject,
  publishes: boolean,
): Promise<void> {
  const text = await withServices(session, manifest, await read(folder, manifest));
  const { service, version } = await createOrChange(session, manifest, text);
  const name = `${service.slug} ${version.version}`;
  const problems = version.workflow?.problems ?? [];
  if (problems.length > 0) return showProblems(shell, output, service, version, problems);
  for (const { elementId, message } of version.workflow?.warnings ?? [])
    output.note(
      `${output.style.yellow('WARNING')} ${printable(`${elementId ?? 'the file'}: ${message}`, shell.stderr.isTTY)}`,
    );
  const published = publishes ? await publish(session, service, version) : null;
  if (published)
    output.note(`${output.style.green(`${name} is deployed.`)} Run it: ${commandFor(shell, 'run', wanted)}`);
  else output.note(`${name} is saved, and a draft: ${commandFor(shell, 'up', wanted)} deploys it.`);
  output.result(published?.endpoint ?? '', {
    service: { id: service.id, name: service.name, slug: service.slug },
    version: version.version,
    state: (published ?? version).state,
    endpoint: published?.endpoint ?? null,
  });
}

async function read(folder: string, { workflow }: Manifest): Promise<string> {
  const file = path.join(folder, workflow ?? '');
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw usageFailure(`${file} does not exist; kethub.json names it as the workflow.`);
  }
}

/**
 * Replaces the names of services in the file by their ids here. The application of the command line subscribes to them.
 */
async function withServices(session: Session, { services }: Manifest, text: string): Promise<string> {
  let replaced = text;
  for (const [placeholder, name] of Object.entries(services)) {
    const { serviceId } = await selectService(session, name);
    replaced = replaced.replaceAll(placeholder, serviceId);
  }
  return replaced;
}

interface Deployed {
  readonly service: Pick<Service, 'id' | 'name' | 'slug'>;
  readonly version: ServiceVersion;
}

/**
 * Creates a service, changes the draft of an existing one, or creates its next version. The same file again changes
 * nothing.
 */
async function createOrChange({ platform, application }: Session, manifest: Manifest, text: string): Promise<Deployed> {
  const source = new Blob([text], { type: 'application/xml' });
  const { id: applicationId } = await application();
  const { name, description } = manifest;
  const service = (await platform.listServices()).find((one) => one.name === name.trim());
  if (!service) {
    const created = await platform.createService({ body: workflowForm({ name, description, applicationId, source }) });
    const [version] = created.versions;
    if (!version) throw new Error('The platform created a service without a version');
    return { service: created, version };
  }
  if (service.type !== 'WORKFLOW')
    throw usageFailure(`${service.name} is no workflow service. Choose another name in kethub.json.`);
  if (service.description !== description)
    await platform.updateService({ serviceId: service.id, json: { description } });
  const [newest] = service.versions;
  const digest = createHash('sha256').update(text).digest('hex');
  const isSame = newest?.sourceDigest === digest && newest.workflow?.applicationId === applicationId;
  if (newest && isSame) return { service, version: newest };
  const changed =
    newest?.state === 'DRAFT'
      ? await platform.replaceSource({ serviceId: service.id, version: newest.version, body: source })
      : await platform.addServiceVersion({ serviceId: service.id, body: source });
  if (!('version' in changed)) throw new Error('The platform builds a workflow as if it were code');
  if (changed.workflow?.applicationId === applicationId) return { service, version: changed };
  return {
    service,
    version: await platform.setWorkflowApplication({
      serviceId: service.id,
      version: changed.version,
      json: { applicationId },
    }),
  };
}

async function publish(
  session: Session,
  { id }: Deployed['service'],
  version: ServiceVersion,
): Promise<ServiceVersion> {
  const published =
    version.state === 'PUBLISHED'
      ? version
      : await session.platform.publishServiceVersion({
          serviceId: id,
          version: version.version,
          json: { visibility: 'INTERNAL' },
        });
  await session.subscribe(id, version.version);
  return published;
}

function showProblems(
  shell: Shell,
  output: Output,
  service: Deployed['service'],
  version: ServiceVersion,
  problems: readonly WorkflowProblem[],
): void {
  output.note(`${output.style.red('REFUSED')} The workflow is saved as a draft, and cannot be deployed:`);
  for (const { elementId, message } of problems)
    output.note(`  ${printable(`${elementId ?? 'the file'}: ${message}`, shell.stderr.isTTY)}`);
  output.result('', {
    service: { id: service.id, name: service.name, slug: service.slug },
    version: version.version,
    problems,
  });
  endWith(shell, 'failed');
}
