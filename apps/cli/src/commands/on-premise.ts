import type { Service, ServiceVersion, TargetRequest } from '@kethub/contract';
import type { Command } from 'commander';
import { usageFailure } from '../failures.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { readSecretLine } from '../terminal/prompt.ts';

interface OnPremiseOptions extends CommonOptions {
  readonly user?: string;
  readonly passwordStdin?: boolean;
  readonly timeout?: number;
  readonly description?: string;
  readonly publish?: boolean;
}

export function addOnPremise(program: Command, shell: Shell): void {
  addCommand(
    program,
    'on-premise <name> <url>',
    'publish a service that runs elsewhere; calls are forwarded to its address',
  )
    .option('--user <name>', 'user name of the Basic credentials that the gateway sends to the service')
    .option('--password-stdin', 'read the password of these credentials from standard input')
    .option('--timeout <seconds>', 'seconds until the service must begin its answer (default: 60)', positiveInteger)
    .option('--description <text>', 'description of the service')
    .option('--publish', 'publish it internally and subscribe to it (the default)')
    .option('--no-publish', 'leave it a draft')
    .addHelpText(
      'after',
      `
The platform forwards every method and path below the address. For a service that you have already, ket changes its
draft, or creates the next version.`,
    )
    .action((name: string, url: string, options: OnPremiseOptions) => onPremise(shell, name, url, options));
}

async function onPremise(shell: Shell, name: string, url: string, options: OnPremiseOptions): Promise<void> {
  const target = await targetOf(shell, url, options);
  const output = outputOf(shell, options);
  const session = await openSession(shell);
  const { service, version } = await createOrChange(session, name, target, options.description);
  const title = `${service.slug} ${version.version}`;
  if (options.publish === false) {
    output.note(`${title} is a draft.`);
    return output.result('', { service, version });
  }
  const published = await session.platform.publishServiceVersion({
    serviceId: service.id,
    version: version.version,
    json: { visibility: 'INTERNAL' },
  });
  await session.subscribe(service.id, version.version);
  output.note(`${output.style.green(`${title} is published.`)} Applications that are subscribed call it at:`);
  output.result(published.endpoint ?? '', { service, version: published });
}

type Target = Omit<TargetRequest, 'timeoutSeconds'> & { readonly timeoutSeconds?: number };

async function targetOf(shell: Shell, url: string, options: OnPremiseOptions): Promise<Target> {
  const { user: username, passwordStdin = false, timeout: timeoutSeconds } = options;
  if ((username !== undefined) !== passwordStdin) throw usageFailure('--user and --password-stdin belong together.');
  const password = passwordStdin ? await readSecretLine(shell, '--password-stdin') : '';
  return {
    url,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(username !== undefined && { credentials: { username, password } }),
  };
}

/** Creates a service, changes the draft of an existing one, or creates its next version. */
async function createOrChange(
  { platform }: Session,
  name: string,
  target: Target,
  description: string | undefined,
): Promise<{ service: Pick<Service, 'id' | 'name' | 'slug'>; version: ServiceVersion }> {
  const service = (await platform.listServices()).find((one) => one.name === name.trim());
  if (!service) {
    const made = await platform.createService({
      json: { type: 'ON_PREMISE', name, target, ...(description !== undefined && { description }) },
    });
    const [version] = made.versions;
    if (!version) throw new Error('The platform created a service without a version');
    return { service: made, version };
  }
  if (service.type !== 'ON_PREMISE') throw usageFailure(`${service.name} is a service that runs on the platform.`);
  if (description !== undefined) await platform.updateService({ serviceId: service.id, json: { description } });
  const draft = service.versions.find(({ state }) => state === 'DRAFT');
  const version = draft
    ? await platform.setTarget({ serviceId: service.id, version: draft.version, json: target })
    : await platform.addServiceVersion({ serviceId: service.id, json: { target } });
  return { service, version };
}
