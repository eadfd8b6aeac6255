import type { Value } from '@kethub/workflow';

/** A failed call of a service that runs elsewhere. */
export class RemoteFault extends Error {
  override readonly name = 'RemoteFault';
  /** True if another try may succeed. */
  readonly isTransient: boolean;
  /** True if a start that failed may have begun. */
  readonly mayHaveBegun: boolean;
  /** The response for the task. It is private so that the platform never logs it: the service may have written it. */
  readonly #response: Value;
  /** True if the response is JSON from the service itself. */
  readonly isAnswer: boolean;

  /** @param message for those who see the workflow: no address, nothing that the service has answered. */
  constructor(
    message: string,
    isTransient: boolean,
    response: Value,
    of: { isAnswer?: boolean; mayHaveBegun?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: of.cause });
    this.isTransient = isTransient;
    this.mayHaveBegun = of.mayHaveBegun ?? false;
    this.isAnswer = of.isAnswer ?? false;
    this.#response = response;
  }

  /** The response for the task. */
  get response(): Value {
    return this.#response;
  }
}

/** A permanent fault of an answer. It says what the owner of the service must correct. */
export function notTheInterface(detail: string, mayHaveBegun = true): RemoteFault {
  const title = "The provider's service has not the interface of managed services";
  return new RemoteFault(detail, false, { type: 'about:blank', title, detail }, { mayHaveBegun });
}
