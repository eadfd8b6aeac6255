import type { ProblemDetails } from '@kethub/contract';

interface KethubErrorOptions {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors?: ProblemDetails['errors'];
  /** `X-Request-Id` of the answer: under it the operator finds the request in the log. */
  readonly requestId?: string | undefined;
  /** Seconds from `Retry-After`, where the answer named them. */
  readonly retryAfter?: number | undefined;
  readonly answer?: string;
}

/** The platform answered, and the answer is a problem (RFC 9457) or an OAuth 2.0 error (RFC 6749 §5.2). */
export class KethubError extends Error {
  override readonly name = 'KethubError';
  /** Last segment of the problem's `type`, for example `not-found`; the OAuth `error`; or `unexpected-answer`. */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: NonNullable<ProblemDetails['errors']>;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  /** The body of an answer that is neither problem nor OAuth 2.0 error. */
  readonly answer: string | undefined;

  constructor(options: KethubErrorOptions) {
    super(`${options.title}: ${options.detail}`);
    this.code = options.code;
    this.status = options.status;
    this.title = options.title;
    this.detail = options.detail;
    this.errors = options.errors ?? [];
    this.requestId = options.requestId;
    this.retryAfter = options.retryAfter;
    this.answer = options.answer;
  }
}

/** No answer came: nothing listens there, the name is unknown, or the connection broke. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** Origin that was called. */
  readonly address: string;

  constructor(address: string, reason: string, cause: unknown) {
    super(`Cannot reach ${address} (${reason}). Is the platform running?`, { cause });
    this.address = address;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'no route to the host',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_SOCKET: 'connection lost',
};

/** The error for a failed `fetch`, a TypeError whose `cause` knows more. The reason of an abort is passed on unchanged. */
export function fetchFailure(url: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = codeOf(cause);
  const reason =
    code === undefined ? (cause instanceof Error ? cause.message : String(cause)) : (reasons[code] ?? code);
  return new UnreachableError(new URL(url).origin, reason, error);
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // A name with two addresses (::1 and 127.0.0.1) fails with one error for each.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined;
}

/** The error that an answer of status >= 300 stands for. Reads the body. */
export async function answerError(method: string, url: string, response: Response): Promise<KethubError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const retryAfter = /^\d+$/.test(response.headers.get('retry-after') ?? '')
    ? Number(response.headers.get('retry-after'))
    : undefined;
  const common = { status: response.status, requestId, retryAfter };
  const answer = await response.text();
  const body = parseObject(answer);
  if (body && typeof body['type'] === 'string' && typeof body['title'] === 'string') {
    return new KethubError({
      ...common,
      code: body['type'].split('/').at(-1) || 'unexpected-answer',
      title: body['title'],
      detail: typeof body['detail'] === 'string' ? body['detail'] : body['title'],
      errors: errorsOf(body['errors']),
    });
  }
  if (body && typeof body['error'] === 'string') {
    const detail = typeof body['error_description'] === 'string' ? body['error_description'] : body['error'];
    return new KethubError({ ...common, code: body['error'], title: 'Not authorized', detail });
  }
  const location = response.headers.get('location');
  return new KethubError({
    ...common,
    answer,
    code: 'unexpected-answer',
    title: 'Unexpected answer',
    detail:
      `${method} ${url} answered ${response.status}` +
      (location === null
        ? ', and not the way Kethub does. Is this the address of the platform?'
        : ` and points to ${location}.`),
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // A page of a proxy, for example: the caller reports the answer as unexpected.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return isObject(value) ? value : undefined;
}

function errorsOf(value: unknown): NonNullable<ProblemDetails['errors']> {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap(({ pointer, detail, elementId, code }) =>
    typeof pointer === 'string' && typeof detail === 'string'
      ? [
          {
            pointer,
            detail,
            ...(typeof elementId === 'string' && { elementId }),
            ...(typeof code === 'string' && { code }),
          },
        ]
      : [],
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
