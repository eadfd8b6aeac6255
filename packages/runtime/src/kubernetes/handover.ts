import type { IncomingMessage } from 'node:http';
import type { Reply } from '../transfers/transfers.ts';

/** Milliseconds after which a pod hears that there is nothing yet, and asks again. So it notices a worker that is gone. */
const ANSWER_MS = 25_000;

/** Hands the execution over to a pod that waits for it, in the answer to a question that is open until then. */
export class Handover {
  readonly #answerMs: number;
  #content: string | null = null;
  #answer: ((reply: Reply) => void) | null = null;

  constructor(answerMs = ANSWER_MS) {
    this.#answerMs = answerMs;
  }

  /** True while the pod waits for the answer: it is ready, and hears of an execution at once. */
  get isAsked(): boolean {
    return this.#answer !== null;
  }

  /** Answers with the execution, or 202 when there is none yet. A pod whose answer was lost gets it again. */
  ask({ socket }: IncomingMessage): Promise<Reply> {
    // The pod asks anew, so the connection of its earlier question is lost.
    this.#answer?.([202, {}]);
    if (this.#content !== null) return Promise.resolve([200, this.#content]);
    return new Promise((resolve) => {
      const answer = (reply: Reply): void => {
        clearTimeout(timer);
        socket.off('close', leave);
        if (this.#answer === answer) this.#answer = null;
        resolve(reply);
      };
      const leave = (): void => answer([202, {}]);
      const timer = setTimeout(leave, this.#answerMs).unref();
      socket.once('close', leave);
      this.#answer = answer;
    });
  }

  give(content: string): void {
    this.#content = content;
    this.#answer?.([200, content]);
  }

  /** Forgets what was handed over: the program has begun. */
  forget(): void {
    this.#content = null;
  }
}
