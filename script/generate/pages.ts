import { createProgram } from '@kethub/cli';
import { reference } from '@kethub/cli';
import { shellOfProcess } from '@kethub/cli';
import { addDatabaseGauges, addRunnerGauges, Metrics } from '@kethub/server/foundation/telemetry';
import { renewConfiguration } from './configuration.ts';
import { renewDependencies } from './dependencies.ts';
import { renewLimits } from './limits.ts';
import { renewAccounts, renewNumbers, renewProfile } from './numbers.ts';
import { between, table } from './marks.ts';

/** A page with generated parts. */
export interface Page {
  /** Relative to the root. */
  readonly file: string;
  /** Returns the page as it should be, given the page as it is. */
  renew(page: string): string;
}

export const pages: readonly Page[] = [
  { file: 'docs/cli.md', renew: renewCommands },
  { file: 'docs/configuration.md', renew: renewConfiguration },
  { file: 'SPECIFICATION.md', renew: (page) => renewAccounts(renewProfile(renewNumbers(page))) },
  { file: 'docs/limits.md', renew: renewLimits },
  { file: 'docs/monitoring.md', renew: renewMonitoring },
  { file: 'docs/dependencies.md', renew: renewDependencies },
];

/** docs/cli.md with the reference of exit codes and commands. */
function renewCommands(page: string): string {
  return between(page, 'commands', reference(createProgram(shellOfProcess())));
}

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames?: readonly string[];
}

/** docs/monitoring.md with the metrics of the code. */
function renewMonitoring(page: string): string {
  const { registry } = new Metrics();
  const counted = own(registry.getMetricsAsArray());
  // Described here, because they cannot be read from anywhere.
  const nothing = {} as never;
  addDatabaseGauges(registry, nothing, () => undefined);
  const known = new Set([...counted, ...own(registry.getMetricsAsArray())].map(({ name }) => name));
  const inDatabase = own(registry.getMetricsAsArray()).filter(({ name }) => !counted.some((one) => one.name === name));
  addRunnerGauges(registry, nothing, () => undefined);
  const ofRunner = own(registry.getMetricsAsArray()).filter(({ name }) => !known.has(name));
  const all = [
    ...counted.map((one) => row(one, 'process')),
    ...inDatabase.map((one) => row(one, one.name === 'kethub_database_connections' ? 'process' : 'database')),
    ...ofRunner.map((one) => row(one, 'runner')),
  ];
  registry.clear();
  return between(page, 'metrics', table(['Metric', 'Type', 'Labels', 'From', 'Meaning'], all));
}

function own(metrics: object[]): Described[] {
  return (metrics as Described[]).filter(({ name }) => name.startsWith('kethub_'));
}

function row({ name, help, type, labelNames = [] }: Described, from: string): string[] {
  const labels = labelNames.map((label) => `\`${label}\``).join(', ');
  return [`\`${name}\``, type, labels, from, help];
}
