import type { ServiceExecution } from '@kethub/contract';
import type { Connection } from './connection.ts';
import { followLog, type FollowedEntry, type FollowOptions } from './follow-log.ts';
import type { components } from './generated/gateway.ts';
import { table } from './generated/gateway-table.ts';
import { operationsAt, type Operations } from './operations.ts';
import { watch, type WatchOptions } from './watch.ts';

type Types = components['schemas'];

/** The operations at the address of a service. The address names owner, service and version. */
export type ServiceOperations = Omit<Operations<Types, typeof table, InAddress>, 'requestToken'>;
type InAddress = 'owner' | 'service' | 'version';

/** Executions at one address: a subscribed service, or `{base_url}/service-executions` with the same operations. */
export interface ExecutionsEndpoint extends Pick<
  ServiceOperations,
  'getExecution' | 'getLog' | 'getResult' | 'getResultFile' | 'cancelExecution'
> {
  /** The address, with a slash at the end. */
  readonly endpoint: string;
  /** The status now and at every change, to the final one. */
  watch(id: string, options?: WatchOptions): AsyncGenerator<ServiceExecution, void>;
  /** The log as it grows, to its end. */
  followLog(id: string, options?: FollowOptions): AsyncGenerator<FollowedEntry, void>;
}

/** Returns whether the status of an execution is final. */
export function isEnded(execution: Pick<ServiceExecution, 'status'>): boolean {
  // The contract has the same as isFinal. Importing it at run time would load the schema library (150 ms) into `ket`.
  return execution.status !== 'PENDING' && execution.status !== 'RUNNING';
}

/** Executions below the base URL of a connection. */
export function executionsAt(connection: Connection): ServiceOperations & ExecutionsEndpoint {
  const service: ServiceOperations = operationsAt<Types, typeof table, InAddress>(
    connection,
    table,
    '/{owner}/{service}/{version}',
  );
  return {
    ...service,
    endpoint: `${connection.baseUrl}/`,
    watch: (id, options) =>
      watch<ServiceExecution>((request) => service.getExecution.response({ id, ...request }), isEnded, options),
    followLog: (id, options) => followLog((request) => service.getLog.response({ id, ...request }), options),
  };
}
