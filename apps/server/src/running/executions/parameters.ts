import type { ServiceRuntime } from '@kethub/contract';

/** What a service version takes under which name of its input, as its build has found out. */
export interface InputParameters {
  /** Take a reference to a data pool only. */
  readonly dataPools: readonly string[];
  /** Take a value of `$secrets` only. */
  readonly secrets: readonly string[];
  /** Take any other value only. */
  readonly typed: readonly string[];
  /** Say nothing of their type: take a value, a reference to a data pool, or a secret. */
  readonly untyped: readonly string[];
  /** Whether a name that is not listed is taken as well, as an untyped one. */
  readonly others: boolean;
  /** Whether a value and a secret may have the same name: variables and secrets of a workflow are apart. */
  readonly secretsApart: boolean;
}

/** Of a container, and of what was built before its parameters were kept. */
export const unknownParameters: InputParameters = {
  dataPools: [],
  secrets: [],
  typed: [],
  untyped: [],
  others: true,
  secretsApart: false,
};

interface Parameter {
  readonly name: string;
  readonly kind: string;
  readonly annotation?: string | null;
}

/** Versions whose parameters are kept parsed: many subscriptions are of the same ones. */
const REMEMBERED = 1_000;
const remembered = new Map<string, InputParameters>();

/** The parameters of a version, from the JSON that its build has left. */
export function inputParameters(parameters: string | null, runtime: ServiceRuntime): InputParameters {
  if (runtime === 'DOCKER' || parameters === null) return unknownParameters;
  const known = remembered.get(parameters);
  if (known) return known;
  const made = sorted(JSON.parse(parameters) as readonly Parameter[]);
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(parameters, made);
  return made;
}

function sorted(all: readonly Parameter[]): InputParameters {
  const names = (fits: (one: Parameter) => boolean): string[] => all.filter(fits).map(({ name }) => name);
  const isUntyped = ({ annotation }: Parameter): boolean => (annotation ?? null) === null;
  return {
    dataPools: names(({ kind }) => kind === 'dataPool'),
    secrets: names(({ kind }) => kind === 'secret'),
    typed: names((one) => one.kind === 'data' && !isUntyped(one)),
    untyped: names((one) => one.kind === 'data' && isUntyped(one)),
    others: all.some(({ kind }) => kind === 'other'),
    secretsApart: false,
  };
}

/** Whether a name takes whatever it is given: a value, a reference to a data pool, or a secret. */
export function isOpen({ dataPools, secrets, typed, untyped, others }: InputParameters, name: string): boolean {
  if (untyped.includes(name)) return true;
  return others && ![dataPools, secrets, typed].some((names) => names.includes(name));
}

/** What the origin of an execution says of the input of its version. */
export function inputOf(
  parameters: string | null,
  runtime: ServiceRuntime,
): { readonly dataPools: readonly string[] | null; readonly parameters: InputParameters } {
  const taken = inputParameters(parameters, runtime);
  return { dataPools: taken === unknownParameters ? null : taken.dataPools, parameters: taken };
}
