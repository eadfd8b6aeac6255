import { KethubError, UnreachableError } from '@kethub/client';
import { Interrupted } from './terminal/interrupt.ts';

/** The meaning of the exit codes of `ket`. docs/cli.md and `ket --help` are generated from this table. */
export const exitCodes = {
  success: { code: 0, about: 'Success. If ket waited for an execution, it has SUCCEEDED.' },
  failed: {
    code: 1,
    about: 'Your code failed: the execution is FAILED, or the build failed. For `ket doctor`: a check failed.',
  },
  usage: { code: 2, about: 'The arguments, files, input or project given to the command are not valid.' },
  signedOut: { code: 3, about: 'Not signed in, or the platform no longer accepts the credentials.' },
  notFound: { code: 4, about: 'The service, execution, result or file does not exist, or not yet.' },
  stopped: { code: 5, about: 'The execution is CANCELLED, or UNKNOWN because its worker was lost.' },
  unreachable: { code: 6, about: 'The platform does not answer.' },
  refused: { code: 7, about: 'The platform refused the request, or failed to process it.' },
  internal: { code: 70, about: 'A defect in ket itself.' },
  interrupted: { code: 130, about: 'Ctrl-C. An execution or build that was started goes on.' },
} as const;

export type Outcome = keyof typeof exitCodes;

/** A failure that the user can do something about. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly outcome: Outcome;
  readonly code: string;
  /** Commands to type next. */
  readonly next: readonly string[];

  constructor(outcome: Outcome, code: string, message: string, next: readonly string[] = []) {
    super(message);
    this.outcome = outcome;
    this.code = code;
    this.next = next;
  }
}

export function usageFailure(message: string, ...next: string[]): CliFailure {
  return new CliFailure('usage', 'usage', message, next);
}

/** A failure in the form for a terminal or for JSON. */
export interface Report {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly errors?: readonly { pointer: string; detail: string }[];
  readonly requestId?: string;
  readonly next: readonly string[];
  /** Set only for a defect of ket. */
  readonly stack?: string;
}

/** The report of an error to the caller of `ket`. */
export function reportOf(error: unknown): Report {
  if (error instanceof CliFailure)
    return { exitCode: exitCodes[error.outcome].code, code: error.code, message: error.message, next: error.next };
  if (error instanceof Interrupted)
    return { exitCode: exitCodes.interrupted.code, code: 'interrupted', message: 'Interrupted.', next: [] };
  if (error instanceof UnreachableError) {
    const next = ['npm start    (in the folder of Kethub)', 'ket login <address>    (if it runs elsewhere)'];
    return { exitCode: exitCodes.unreachable.code, code: 'unreachable', message: error.message, next };
  }
  if (error instanceof KethubError) return refusal(error);
  const system = systemFailure(error);
  if (system !== undefined) return { exitCode: exitCodes.usage.code, code: 'file', message: system, next: [] };
  const stack = error instanceof Error ? error.stack : undefined;
  return {
    exitCode: exitCodes.internal.code,
    code: 'internal',
    message: error instanceof Error ? error.message : String(error),
    next: [],
    ...(stack !== undefined && { stack }),
  };
}

function refusal(error: KethubError): Report {
  const common = {
    exitCode: exitCodes[outcomeOf(error)].code,
    code: error.code,
    status: error.status,
    next: nextAfter[error.code] ?? [],
    ...(error.errors.length > 0 && { errors: error.errors }),
    ...(error.requestId !== undefined && { requestId: error.requestId }),
  };
  if (error.code === 'not-authenticated')
    return { ...common, message: 'Your access token is no longer valid: it was deleted or has expired.' };
  if (error.code === 'invalid_grant') return { ...common, message: 'User name or password is wrong.' };
  return { ...common, message: error.detail === error.title ? error.title : `${error.title}. ${error.detail}` };
}

function outcomeOf({ status, code }: KethubError): Outcome {
  if (status === 401 || code === 'invalid_grant') return 'signedOut';
  return status === 404 ? 'notFound' : 'refused';
}

const nextAfter: Readonly<Record<string, readonly string[]>> = {
  'not-authenticated': ['ket login'],
  'execution-not-found': ['ket list'],
  'service-not-found': ['ket services'],
  'not-subscribed': ['ket services', 'ket run <service>    (subscribes again where it may)'],
  'result-not-available': ['ket result <id> --wait', 'ket logs <id> --follow'],
  'result-file-not-found': ['ket result <id>    (lists the files)'],
  'build-not-succeeded': ['ket up'],
  invalid_grant: ['ket login'],
};

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be accessed (permissions)',
  EPERM: 'may not be accessed (permissions)',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: the disk is read-only',
};

/** The message for a file that cannot be read or written, which is no defect of ket. */
function systemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const reason = systemReasons[error.code];
  if (reason === undefined) return undefined;
  return 'path' in error && typeof error.path === 'string' ? `${error.path} ${reason}.` : `A file ${reason}.`;
}
