import { fromLocalInput, parseTime, toApiTime, toLocalInput } from '../../look/time.ts';

/** Filters of a list of executions, as the interface takes them. */
export interface ExecutionFilter {
  readonly serviceId?: string;
  readonly tag?: string;
  /** Statuses with commas between. */
  readonly status?: string;
  readonly version?: string;
  readonly applicationId?: string;
  readonly personId?: string;
  readonly workflowId?: string;
  /** False: without what tasks of workflows have started. */
  readonly tasks?: boolean;
  readonly from?: string;
  readonly to?: string;
}

/** Names of the filters in the address of the page. Earlier addresses have `service` and `tag`. */
const NAMES = {
  serviceId: 'service',
  tag: 'tag',
  status: 'status',
  version: 'version',
  applicationId: 'application',
  personId: 'person',
  workflowId: 'workflow',
  from: 'from',
  to: 'to',
} as const satisfies Partial<Record<keyof ExecutionFilter, string>>;
const STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'UNKNOWN'];

/** The filter in the query of an address. What does not fit is left out. */
export function filterOf(search: Readonly<Record<string, unknown>>): ExecutionFilter {
  const texts = Object.entries(NAMES).flatMap(([member, name]) => {
    const value = search[name];
    // The router reads a text of digits as a number.
    return typeof value === 'string' || typeof value === 'number' ? [[member, String(value)] as const] : [];
  });
  const { status, from, to, ...others } = Object.fromEntries(texts) as Partial<Record<keyof typeof NAMES, string>>;
  const statuses = statusesOf({ status });
  return {
    ...others,
    ...(statuses.length > 0 && { status: statuses.join(',') }),
    ...(from !== undefined && !Number.isNaN(parseTime(from)) && { from }),
    ...(to !== undefined && !Number.isNaN(parseTime(to)) && { to }),
    ...(search['tasks'] === false && { tasks: false }),
  };
}

/** The query of an address for a filter. */
export function searchOf(filter: ExecutionFilter): Record<string, string | boolean> {
  const texts = Object.entries(NAMES).flatMap(([member, name]) => {
    const value = filter[member as keyof typeof NAMES];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(texts), ...(filter.tasks === false && { tasks: false }) };
}

export function statusesOf({ status }: { readonly status?: string | undefined }): readonly string[] {
  return (status ?? '').split(',').filter((one) => STATUSES.includes(one));
}

/** A time of the interface as a field of local time shows it, and back. */
export function localOf(time: string | undefined): string {
  return time === undefined ? '' : toLocalInput(parseTime(time));
}
export function timeOf(local: string): string | undefined {
  return local === '' ? undefined : toApiTime(fromLocalInput(local));
}
