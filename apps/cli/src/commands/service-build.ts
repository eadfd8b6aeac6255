import type { Command } from 'commander';
import { Option } from 'commander';
import { usageFailure } from '../failures.ts';
import { selectImplementation } from '../platform/implementations.ts';
import { requireOwnService, splitVersion } from '../platform/select-service.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';

interface AutomateOptions extends CommonOptions {
  readonly branch?: string;
  readonly tag?: string;
  readonly publish?: boolean;
}

/** Builds and drafts of a service, and the implementation whose pushes make its versions. */
export function addServiceBuilds(service: Command, shell: Shell): void {
  addCommand(service, 'rebuild <service@version>', 'build the source of a draft again').action(
    (wanted: string, options: CommonOptions) => rebuild(shell, wanted, options),
  );
  addCommand(service, 'cancel-build <service@version>', 'cancel a build that waits or runs').action(
    (wanted: string, options: CommonOptions) => cancelBuild(shell, wanted, options),
  );
  addCommand(service, 'delete-draft <service@version>', 'delete a draft').action(
    (wanted: string, options: CommonOptions) => deleteDraft(shell, wanted, options),
  );
  addCommand(
    service,
    'automate <service> [implementation]',
    'make versions of pushes to an implementation; without one, show what is set',
  )
    .addOption(new Option('--branch <name>', 'each push to this branch makes the next draft').conflicts('tag'))
    .option('--tag <pattern>', 'each tag such as v1.2.3 makes a version; * stands for any text')
    .option('--publish', 'publish each version when its build has succeeded')
    .action((wanted: string, implementation: string | undefined, options: AutomateOptions) =>
      implementation === undefined
        ? showSource(shell, wanted, options)
        : automate(shell, wanted, implementation, options),
    );
  addCommand(service, 'unautomate <service>', 'make no versions of pushes any more').action(
    (wanted: string, options: CommonOptions) => unautomate(shell, wanted, options),
  );
}

async function at(shell: Shell, wanted: string) {
  const session = await openSession(shell);
  const { name, version } = splitVersion(wanted);
  if (version === undefined) throw usageFailure('Which version?', `${name}@1.0.0`);
  const { id } = await requireOwnService(session, name);
  return { platform: session.platform, serviceId: id, version };
}

async function rebuild(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { platform, serviceId, version } = await at(shell, wanted);
  const build = await platform.restartBuild({ serviceId, version });
  outputOf(shell, options).result(`${wanted} is built again.`, build);
}

async function cancelBuild(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { platform, serviceId, version } = await at(shell, wanted);
  const build = await platform.cancelBuild({ serviceId, version });
  outputOf(shell, options).result(`The build of ${wanted} is cancelled.`, build);
}

async function deleteDraft(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { platform, serviceId, version } = await at(shell, wanted);
  await platform.deleteServiceVersion({ serviceId, version });
  outputOf(shell, options).result(`The draft ${wanted} is deleted.`, { serviceId, version });
}

async function own(shell: Shell, wanted: string): Promise<{ session: Session; serviceId: string }> {
  const session = await openSession(shell);
  const { id } = await requireOwnService(session, wanted);
  return { session, serviceId: id };
}

async function showSource(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { session, serviceId } = await own(shell, wanted);
  const source = await session.platform.getServiceSource({ serviceId });
  const { on, pattern, action, lastVersion, problem } = source;
  const what = on === 'BRANCH' ? `Each push to ${pattern} makes the next draft` : `Each tag ${pattern} makes a version`;
  const output = outputOf(shell, options);
  if (problem !== null) output.note(`The last push made no version: ${problem}`);
  const last = lastVersion === null ? '' : ` The last one was ${lastVersion}.`;
  output.result(`${what}${action === 'PUBLISH' ? ', which is published' : ''}.${last}`, source);
}

async function automate(shell: Shell, wanted: string, name: string, options: AutomateOptions): Promise<void> {
  const { branch, tag, publish = false } = options;
  const { session, serviceId } = await own(shell, wanted);
  const { id, defaultBranch } = await selectImplementation(session, name);
  const source = await session.platform.setServiceSource({
    serviceId,
    json: {
      implementationId: id,
      on: tag === undefined ? 'BRANCH' : 'TAG',
      pattern: tag ?? branch ?? defaultBranch,
      action: publish ? 'PUBLISH' : 'DRAFT',
    },
  });
  outputOf(shell, options).result(`Pushes to ${name} make versions of ${wanted} from now on.`, source);
}

async function unautomate(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { session, serviceId } = await own(shell, wanted);
  await session.platform.removeServiceSource({ serviceId });
  outputOf(shell, options).result(`Pushes make no versions of ${wanted} any more.`, { serviceId });
}
