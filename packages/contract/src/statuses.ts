export const executionStatuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'CANCELLED', 'FAILED', 'UNKNOWN'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

/** Returns whether an execution can still change. */
export function isFinal(status: ExecutionStatus): boolean {
  return status !== 'PENDING' && status !== 'RUNNING';
}

export const executionTypes = ['MANAGED', 'WORKFLOW'] as const;
export type ExecutionType = (typeof executionTypes)[number];

/** Severities of a log entry. */
export const severities = ['DEBUG', 'INFO', 'NOTICE', 'WARNING', 'ERROR'] as const;
