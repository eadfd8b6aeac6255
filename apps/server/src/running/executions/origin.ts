import type { Subscriber } from '../../catalog/access/index.ts';
import type { Program } from '../../catalog/services/index.ts';
import type { OwnerType } from '../../foundation/storage/index.ts';
import { subscriberScope, type ExecutionScope } from './scope.ts';

/** The caller and owner of an execution, and the service version that it runs. */
export interface Origin {
  /** The scope in which its caller will see the execution. */
  readonly scope: ExecutionScope;
  /** Null for a job. */
  readonly subscriptionId: string | null;
  readonly applicationId: string | null;
  readonly owner: { readonly type: OwnerType; readonly id: string };
  /** The person who starts a job; null for an application. */
  readonly personId: string | null;
  readonly serviceId: string;
  readonly serviceVersionId: string;
  readonly program: Program;
}

/** The origin of executions that an application starts through its subscription. */
export function originOf(subscriber: Subscriber): Origin {
  const { subscriptionId, applicationId, owner, serviceId, serviceVersionId, program } = subscriber;
  const scope = subscriberScope(subscriber);
  return { scope, subscriptionId, applicationId, owner, personId: null, serviceId, serviceVersionId, program };
}
