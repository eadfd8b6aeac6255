import type { Answer, Answers, Happening, Question } from './protocol.ts';

/** The worker that judges, evaluates and rehearses, with the code of the platform. */
export interface Checker {
  check(xml: string): Promise<Answers['check']>;
  evaluate(source: string, variables: string): Promise<Answers['evaluate']>;
  rehearse(happening: Happening): Promise<Answers['rehearse']>;
  close(): void;
}

type Asked = Question extends infer One ? (One extends Question ? Omit<One, 'id'> : never) : never;

export function openChecker(): Checker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'kethub-check' });
  const open = new Map<number, { resolve(answer: never): void; reject(error: Error): void }>();
  let next = 1;
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    const asked = open.get(data.id);
    open.delete(data.id);
    if ('failed' in data) asked?.reject(new Error(data.failed));
    else asked?.resolve(data.answer as never);
  });
  worker.addEventListener('error', () => {
    const error = new Error('The check of workflows has ended unexpectedly. Reload the page.');
    for (const { reject } of open.values()) reject(error);
    open.clear();
  });
  const ask = <Of extends keyof Answers>(question: Asked & { readonly ask: Of }): Promise<Answers[Of]> =>
    new Promise((resolve, reject) => {
      const id = next++;
      open.set(id, { resolve, reject });
      worker.postMessage({ ...question, id }, []);
    });
  return {
    check: (xml) => ask({ ask: 'check', xml }),
    evaluate: (source, variables) => ask({ ask: 'evaluate', source, variables }),
    rehearse: (happening) => ask({ ask: 'rehearse', happening }),
    close: () => worker.terminate(),
  };
}
