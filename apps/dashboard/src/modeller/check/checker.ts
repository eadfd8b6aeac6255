import type { Answer, Answers, Happening, Question } from './protocol.ts';

/** The worker that judges, evaluates and rehearses, with the code of the platform. */
export interface Checker {
  check(xml: string): Promise<Answers['check']>;
  evaluate(source: string, variables: string): Promise<Answers['evaluate']>;
  /** Complaints of the Request Schema about an input. */
  judge(xml: string, input: string): Promise<Answers['judge']>;
  /** The record of a real instance from the file of its version and its journal, both as texts. */
  recall(xml: string, journal: string): Promise<Answers['recall']>;
  functions(): Promise<Answers['functions']>;
  rehearse(happening: Happening): Promise<Answers['rehearse']>;
  close(): void;
}

type Asked = Question extends infer One ? (One extends Question ? Omit<One, 'id'> : never) : never;

interface Open {
  readonly question: Question;
  resolve(answer: never): void;
  reject(error: Error): void;
}

/**
 * Milliseconds that one answer may take. A worker that takes longer, such as for a pattern without end, is ended; another
 * one answers what else was asked.
 */
const LIMIT_MS = 15_000;
const TOO_LONG =
  'This took longer than 15 seconds in your browser and was stopped. Simplify the expression, the pattern or the diagram that you have changed last.';

export function openChecker(): Checker {
  const open = new Map<number, Open>();
  let next = 1;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let worker = begin();
  return {
    check: (xml) => ask({ ask: 'check', xml }),
    evaluate: (source, variables) => ask({ ask: 'evaluate', source, variables }),
    judge: (xml, input) => ask({ ask: 'judge', xml, input }),
    recall: (xml, journal) => ask({ ask: 'recall', xml, journal }),
    functions: () => ask({ ask: 'functions' }),
    rehearse: (happening) => ask({ ask: 'rehearse', happening }),
    close() {
      if (timer !== null) clearTimeout(timer);
      worker.terminate();
    },
  };

  function begin(): Worker {
    const made = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'kethub-check' });
    made.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      const asked = open.get(data.id);
      open.delete(data.id);
      if ('failed' in data) asked?.reject(new Error(data.failed));
      else asked?.resolve(data.answer as never);
      watch();
    });
    made.addEventListener('error', () => {
      if (open.size > 0) beginAgain('The check of workflows has ended unexpectedly. Try again.');
    });
    return made;
  }

  function ask<Of extends keyof Answers>(asked: Asked & { readonly ask: Of }): Promise<Answers[Of]> {
    return new Promise((resolve, reject) => {
      const id = next++;
      const question = { ...asked, id } as Question;
      open.set(id, { question, resolve, reject });
      worker.postMessage(question, []);
      if (timer === null) watch();
    });
  }

  /** Each answer begins the time of the next one anew: the worker answers one question after the other. */
  function watch(): void {
    if (timer !== null) clearTimeout(timer);
    timer = open.size === 0 ? null : setTimeout(() => beginAgain(TOO_LONG), LIMIT_MS);
  }

  /** Ends the worker. The question that it was at fails, and so does a rehearsal, whose state is gone; others are asked again. */
  function beginAgain(why: string): void {
    worker.terminate();
    worker = begin();
    const [culprit] = open.keys();
    for (const [id, { question, reject }] of open) {
      if (id === culprit || question.ask === 'rehearse') {
        open.delete(id);
        reject(new Error(id === culprit ? why : 'The rehearsal has ended unexpectedly. Start it again.'));
      } else worker.postMessage(question, []);
    }
    watch();
  }
}
