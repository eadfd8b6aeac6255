import { addDatabaseGauges, addRunnerGauges, Metrics } from '../../apps/server/src/foundation/telemetry/index.ts';
import { between, table } from './marks.ts';

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames?: readonly string[];
}

/** docs/monitoring.md with the metrics of the code. */
export function renewMonitoring(page: string): string {
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
