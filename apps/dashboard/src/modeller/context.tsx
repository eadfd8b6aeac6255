import type { WorkflowProblem } from '@kethub/contract';
import type { BuiltinCall } from '@kethub/feel';
import { createContext, use } from 'react';
import type { Checker } from './check/checker.ts';
import type { Checked, Finding } from './check/protocol.ts';
import type { CallableService, CalledBy } from './kit/services.ts';
import { headerOf } from './kit/edit.ts';
import type { Drawn, Kit } from './kit/types.ts';

/** A file with the problems that the platform has found in it. */
export interface Judged {
  readonly xml: string;
  readonly problems: readonly WorkflowProblem[];
  /** True if it was refused when it was to be deployed. */
  readonly isRefused?: boolean;
}

/** State that the parts of the modeller share. */
export interface Modelling {
  readonly kit: Kit;
  /** Grows with every change of the diagram. */
  readonly revision: number;
  readonly selected: Drawn | null;
  /** The process, collaboration or inside of a sub-process that is in view. */
  readonly root: Drawn;
  select(element: Drawn | null): void;
  readonly checker: Checker;
  readonly checked: Checked | null;
  /** Services of the application of the workflow. */
  readonly services: readonly CallableService[];
  /** Services of the applications that tasks name themselves, as far as they are read. */
  readonly others: ReadonlyMap<string, CalledBy>;
  /** Functions of FEEL that are suggested; none before the worker has named them. */
  readonly functions: readonly BuiltinCall[];
  /** Variables that expressions are tried with, as a JSON object. */
  readonly example: string;
  /** The expression at which a selected problem is. */
  readonly focused: Finding | null;
}

export const ModellingContext = createContext<Modelling | null>(null);

export function useModelling(): Modelling {
  const modelling = use(ModellingContext);
  if (!modelling) throw new Error('The modeller provides the context of its parts');
  return modelling;
}

/** Problems and warnings of an element. */
export function findingsAt(modelling: Modelling, elementId: string): readonly Finding[] {
  return modelling.checked?.findings.filter((one) => one.elementId === elementId) ?? [];
}

/** The services that a task can call: as the application that it names, else as that of the workflow. */
export function servicesOf({ services, others }: Modelling, { businessObject }: Drawn): readonly CallableService[] {
  const applicationId = headerOf(businessObject, 'applicationId').trim();
  return applicationId === '' ? services : (others.get(applicationId)?.services ?? []);
}

/** Every service that is known, each once. */
export function everyService({ services, others }: Modelling): readonly CallableService[] {
  const all = [...services, ...[...others.values()].flatMap((one) => one.services)];
  return [...new Map(all.toReversed().map((one) => [one.id, one])).values()];
}
