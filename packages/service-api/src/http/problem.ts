import { problems, type ProblemCode, type ProblemDetails } from '@kethub/contract';

export interface ProblemOptions {
  /** Errors in the request, each at its JSON Pointer. */
  readonly errors?: { pointer: string; detail: string; elementId?: string; code?: string }[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Cause for the log; it is never sent. */
  readonly cause?: unknown;
}

/** An answer that is not a success. `detail` is public and says what was wrong and what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly errors: ProblemOptions['errors'];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }

  get title(): string {
    return problems[this.code].title;
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** The RFC 9457 document. `problemsUrl` is the address of the pages about problems. */
  document(problemsUrl: string, instance: string): ProblemDetails {
    return {
      type: `${problemsUrl}/${this.code}`,
      title: this.title,
      status: this.status,
      detail: this.message,
      instance,
      ...(this.errors && { errors: this.errors }),
    };
  }
}
