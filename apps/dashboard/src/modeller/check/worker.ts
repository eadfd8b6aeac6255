import { builtinCalls } from '@kethub/feel';
import { check, evaluate } from './check.ts';
import type { Answer, Answers, Happening, Question } from './protocol.ts';
import { recall } from './record.ts';
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
  switch (question.ask) {
    case 'check':
      return check(question.xml);
    case 'evaluate':
      return evaluate(question.source, question.variables);
    case 'judge': {
      // Only rehearsals need the code that judges by a JSON Schema.
      const { judge } = await import('./judge.ts');
      return judge(question.xml, question.input);
    }
    case 'recall':
      return recall(question.xml, question.journal);
    case 'functions':
      return builtinCalls();
    default:
      return rehearse(question.happening);
  }
}

async function rehearse(happening: Happening): Promise<Answers['rehearse']> {
  if (happening.type === 'start') rehearsal = await Rehearsal.start(happening.xml, happening.input);
  else rehearsal?.happen(happening);
  if (rehearsal === null) throw new Error('Start the rehearsal first.');
  return rehearsal.snapshot;
}
