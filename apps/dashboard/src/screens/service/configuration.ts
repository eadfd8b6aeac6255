import type { RuntimeConfiguration } from '@kethub/contract';

/** The configuration as the inputs of its form hold it. */
export interface Draft {
  readonly cpus: string;
  readonly memoryGb: string;
  readonly runTimeSeconds: string;
  readonly python: string | null;
  /** One host a line. */
  readonly hosts: string;
  readonly variables: readonly Variable[];
  readonly providerAccessTokens: boolean;
  readonly sourcePackages: boolean;
  readonly warmStart: boolean;
  readonly warmPods: string;
}

export interface Variable {
  readonly name: string;
  readonly value: string;
}

export function draftOf(configuration: Partial<RuntimeConfiguration>): Draft {
  return {
    cpus: String(configuration.cpus ?? 1),
    memoryGb: String(configuration.memoryGb ?? 1),
    runTimeSeconds: String(configuration.runTimeSeconds ?? 3_600),
    python: configuration.python ?? null,
    hosts: (configuration.hosts ?? []).join('\n'),
    variables: Object.entries(configuration.environment ?? {}).map(([name, value]) => ({ name, value })),
    providerAccessTokens: configuration.providerAccessTokens ?? false,
    sourcePackages: configuration.sourcePackages ?? false,
    warmStart: configuration.warmStart ?? true,
    warmPods: String(configuration.warmPods ?? 0),
  };
}

/** The configuration that a form asks for. What it has no input for stays as it is. */
export function configurationOf(present: Partial<RuntimeConfiguration>, draft: Draft): RuntimeConfiguration {
  const { python: _python, hosts: _hosts, environment: _environment, ...others } = present;
  const hosts = hostsOf(draft);
  const variables = draft.variables.filter(({ name, value }) => name !== '' || value !== '');
  return {
    runtime: 'PYTHON_TEMPLATE',
    ...others,
    cpus: Number(draft.cpus),
    memoryGb: Number(draft.memoryGb),
    runTimeSeconds: Number(draft.runTimeSeconds),
    ...(isPython(draft.python) && { python: draft.python }),
    ...(hosts.length > 0 && { hosts }),
    ...(variables.length > 0 && {
      environment: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    }),
    providerAccessTokens: draft.providerAccessTokens,
    sourcePackages: draft.sourcePackages,
    warmStart: draft.warmStart,
    warmPods: Number(draft.warmPods),
  };
}

function hostsOf({ hosts }: Draft): string[] {
  return hosts.split(/[\s,]+/).filter((host) => host !== '');
}

export const PYTHONS = ['3.10', '3.11', '3.12', '3.13'] as const satisfies readonly NonNullable<
  RuntimeConfiguration['python']
>[];

function isPython(text: string | null): text is (typeof PYTHONS)[number] {
  return PYTHONS.some((one) => one === text);
}

/** Complaints that can be made before the platform is asked, by JSON Pointer. */
export function complaintsOf(draft: Draft): ReadonlyMap<string, string> {
  const complaints = new Map<string, string>();
  for (const name of ['cpus', 'memoryGb', 'runTimeSeconds', 'warmPods'] as const)
    if (draft[name].trim() === '' || !Number.isFinite(Number(draft[name])))
      complaints.set(`/${name}`, 'This is not a number.');
  const names = draft.variables.map(({ name }) => name);
  for (const { name, value } of draft.variables) {
    if (name === '' && value !== '') complaints.set('/environment/', 'This value has no name.');
    else if (name !== '' && names.filter((other) => other === name).length > 1)
      complaints.set(`/environment/${name}`, 'Another variable has this name.');
  }
  return complaints;
}

const LABELS: readonly (readonly [keyof Draft, string])[] = [
  ['cpus', 'CPU cores'],
  ['memoryGb', 'Memory in GB'],
  ['runTimeSeconds', 'Run time at most, in seconds'],
  ['python', 'Python'],
  ['variables', 'Environment variables'],
  ['hosts', 'Hosts it may call'],
  ['providerAccessTokens', 'Provider access tokens'],
  ['sourcePackages', 'Packages from source code'],
  ['warmStart', 'Start before it is asked for'],
  ['warmPods', 'Pods that wait for executions'],
];

/** Every setting in words, of the form and of what is saved. */
export function differencesOf(
  mine: Draft,
  theirs: Draft,
): readonly { readonly label: string; readonly mine: string; readonly theirs: string }[] {
  return LABELS.map(([name, label]) => ({ label, mine: inWords(mine[name]), theirs: inWords(theirs[name]) }));
}

function inWords(value: Draft[keyof Draft]): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? value : value.map((one) => `${one.name}=${one.value}`).join('\n');
}
