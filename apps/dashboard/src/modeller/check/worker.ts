import { check, evaluate } from './check.ts';
import type { Answer, Answers, Question } from './protocol.ts';
import { Rehearsal } from './rehearsal.ts';

/** The worker's own scope, as far as it is used. The compiler knows that of a page. */
const page = globalThis as unknown as { postMessage(answer: Answer, transfer: readonly never[]): void };
let rehearsal: Rehearsal | null = null;

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  const { id } = data;
  void answerTo(data).then(
    (answer) => page.postMessage({ id, answer }, []),
    (error: unknown) => page.postMessage({ id, failed: error instanceof Error ? error.message : String(error) }, []),
  );
});

async function answerTo(question: Question): Promise<Answers[keyof Answers]> {
  if (question.ask === 'check') return check(question.xml);
  if (question.ask === 'evaluate') return evaluate(question.source, question.variables);
  const { happening } = question;
  if (happening.type === 'start') rehearsal = await Rehearsal.start(happening.xml, happening.input);
  else rehearsal?.happen(happening);
  if (rehearsal === null) throw new Error('Start the rehearsal first.');
  return rehearsal.snapshot;
}
