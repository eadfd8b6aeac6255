import type { Value } from '@kethub/workflow';

/** Why a call of a service that runs elsewhere has not brought what was asked for. */
export class RemoteFault extends Error {
  override readonly name = 'RemoteFault';
  /** It can be better when it is called again. */
  readonly mayPass: boolean;
  /** Of a start: the service may be at work on it all the same. */
  readonly mayHaveBegun: boolean;
  /** Of the log of the platform no part: it may be what the service has answered. */
  readonly #response: Value;
  /** Whether the service has said so itself, in JSON. */
  readonly isAnswer: boolean;

  /** @param message for those who see the workflow: no address, nothing that the service has answered. */
  constructor(
    message: string,
    mayPass: boolean,
    response: Value,
    of: { isAnswer?: boolean; mayHaveBegun?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: of.cause });
    this.mayPass = mayPass;
    this.mayHaveBegun = of.mayHaveBegun ?? false;
    this.isAnswer = of.isAnswer ?? false;
    this.#response = response;
  }

  /** What the task learns of it. */
  get response(): Value {
    return this.#response;
  }
}

/** An answer that never gets better: what it lacks is said to whoever can mend the service. */
export function notTheInterface(detail: string, mayHaveBegun = true): RemoteFault {
  const title = "The provider's service has not the interface of managed services";
  return new RemoteFault(detail, false, { type: 'about:blank', title, detail }, { mayHaveBegun });
}
