/** The parameters that a service version takes in its input, as its build derived them. */
export interface InputParameters {
  /** Parameters that take a reference to a data pool only. */
  readonly dataPools: readonly string[];
  /** Parameters that take a value of `$secrets` only. */
  readonly secrets: readonly string[];
  /** Parameters that take any other value only. */
  readonly typed: readonly string[];
  /** Parameters without a type: they take a value, a reference to a data pool, or a secret. */
  readonly untyped: readonly string[];
  /** True if other names are accepted as well, as untyped parameters. */
  readonly others: boolean;
  /** True if a value and a secret may have the same name, as in a workflow, which separates variables and secrets. */
  readonly secretsApart: boolean;
}

/** The parameters of a container, and of a version that was built before parameters were stored. */
export const unknownParameters: InputParameters = {
  dataPools: [],
  secrets: [],
  typed: [],
  untyped: [],
  others: true,
  secretsApart: false,
};

/** A parameter of `run` as the inspection of its signature describes it. */
export interface DeclaredParameter {
  readonly name: string;
  readonly kind: string;
  readonly annotation?: string | null;
}

/** Parameters that take a data pool; null if any name may. */
export function dataPoolNames(parameters: InputParameters): readonly string[] | null {
  return parameters === unknownParameters ? null : parameters.dataPools;
}

/** The names of parameters by what they take. */
export function parametersFrom(all: readonly DeclaredParameter[]): InputParameters {
  const names = (fits: (one: DeclaredParameter) => boolean): string[] => all.filter(fits).map(({ name }) => name);
  const isUntyped = ({ annotation }: DeclaredParameter): boolean => (annotation ?? null) === null;
  return {
    dataPools: names(({ kind }) => kind === 'dataPool'),
    secrets: names(({ kind }) => kind === 'secret'),
    typed: names((one) => one.kind === 'data' && !isUntyped(one)),
    untyped: names((one) => one.kind === 'data' && isUntyped(one)),
    others: all.some(({ kind }) => kind === 'other'),
    secretsApart: false,
  };
}

/** Returns whether a name takes anything: a value, a reference to a data pool, or a secret. */
export function isOpen({ dataPools, secrets, typed, untyped, others }: InputParameters, name: string): boolean {
  if (untyped.includes(name)) return true;
  return others && ![dataPools, secrets, typed].some((names) => names.includes(name));
}
