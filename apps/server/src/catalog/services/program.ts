import type { ServiceRuntime } from '@kethub/contract';
import { parametersFrom, unknownParameters, type DeclaredParameter, type InputParameters } from '@kethub/service-api';
import type { ServiceRow } from '../../foundation/storage/index.ts';

/** The program of an execution: user code in a sandbox, or a workflow that a worker advances. */
export type Program =
  | { readonly type: 'MANAGED'; readonly parameters: InputParameters }
  | { readonly type: 'WORKFLOW' };

interface ProgramColumns {
  readonly type: ServiceRow['type'];
  /** JSON that the build has stored, or null. */
  readonly parameters: string | null;
  readonly runtime: ServiceRuntime;
}

export function programOf({ type, parameters, runtime }: ProgramColumns): Program {
  if (type === 'WORKFLOW') return { type };
  const isKnown = runtime !== 'DOCKER' && parameters !== null;
  return {
    type: 'MANAGED',
    parameters: isKnown ? parametersFrom(JSON.parse(parameters) as readonly DeclaredParameter[]) : unknownParameters,
  };
}
