import type { Command } from 'commander';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

export function addServices(program: Command, shell: Shell): void {
  addCommand(
    program,
    'services',
    'list your services with their newest version, and services of others that you subscribed to or that are shared with you',
  ).action((options: CommonOptions) => services(shell, options));
}

async function services(shell: Shell, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const { platform } = session;
  const [own, subscriptions, shared] = await Promise.all([
    platform.listServices(),
    session.subscriptions(),
    platform.listSharedServices(),
  ]);
  const rows = [
    ...own.map((service) => {
      const [newest] = service.versions;
      const published = service.versions.find(({ state }) => state === 'PUBLISHED');
      return {
        service: service.slug,
        version: newest?.version ?? '',
        state: newest?.state ?? '',
        build: newest?.build?.status ?? '',
        endpoint: published?.endpoint ?? '',
      };
    }),
    ...subscriptions
      .filter(({ serviceId }) => !own.some(({ id }) => id === serviceId))
      .map(({ serviceName, version, endpoint }) => ({ service: serviceName, version, state: '', build: '', endpoint })),
    ...shared.map(({ slug, versions: [newest] }) => ({
      service: slug,
      version: newest?.version ?? '',
      state: 'SHARED',
      build: '',
      endpoint: newest?.endpoint ?? '',
    })),
  ];
  const output = outputOf(shell, options);
  if (rows.length === 0) output.note(`No services yet. ${shell.command} init <folder> makes one.`);
  const header = ['SERVICE', 'VERSION', 'STATE', 'BUILD', 'ADDRESS OF THE PUBLISHED VERSION'];
  const text =
    rows.length === 0
      ? ''
      : table(
          header,
          rows.map((row) => Object.values(row)),
        );
  output.result(text, { services: own, subscriptions, shared });
}
