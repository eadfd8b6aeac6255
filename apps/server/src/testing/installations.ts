import { databases } from './databases.ts';
import { startTestKethub, type TestInstallation } from './kethub.ts';
import { startSplitKethub } from './split-kethub.ts';

interface InstallationKind {
  readonly name: string;
  start(settings?: Readonly<Record<string, string>>): Promise<TestInstallation>;
}

/**
 * Returns the installations on which a test file must behave alike: one process on each database, and, with a
 * PostgreSQL, one of several processes. Use with `describe.each(installations())('… in $name', ({ start }) => …)`.
 */
export function installations(): readonly InstallationKind[] {
  return [
    ...databases().map((kind) => ({
      name: `one process on ${kind.name}`,
      start: (settings = {}) => startTestKethub(kind, settings),
    })),
    ...databases()
      .filter(({ name }) => name === 'PostgreSQL')
      .map((kind) => ({
        name: 'an api, two gateways and a worker on PostgreSQL',
        start: (settings = {}) => startSplitKethub(kind, settings),
      })),
  ] satisfies readonly InstallationKind[];
}
