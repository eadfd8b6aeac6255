import type { ChangeEvent } from '@kethub/contract';
import { expect, test } from 'vitest';
import { EventStream } from './event-stream.ts';
import type { TokenAnswer } from './token-keeper.ts';

const event = (id: string, name: string): string => `id: ${id}\nevent: ${name}\ndata: {"executionId":"${id}"}\n\n`;

/** A platform that answers each request with the next of these. */
function stream(answers: readonly Response[], tokens: readonly TokenAnswer[]) {
  const asked: (string | null)[] = [];
  const refusals: (string | null)[] = [];
  const received: ChangeEvent[] = [];
  const done = Promise.withResolvers<void>();
  const options = {
    token(refused: string | null) {
      refusals.push(refused);
      const answer = tokens[refusals.length - 1] ?? { refused: 'SIGN_IN_NEEDED' as const, detail: '' };
      if ('refused' in answer) done.resolve();
      return Promise.resolve(answer);
    },
    onEvent: (one: ChangeEvent) => void received.push(one),
  };
  const events = new EventStream(options, 'http://kethub', (_input, init) => {
    asked.push(new Headers(init?.headers).get('last-event-id'));
    return Promise.resolve(answers[asked.length - 1] ?? new Response(null, { status: 503 }));
  });
  events.open();
  return { asked, refusals, received, done: done.promise };
}

test('goes on after the last event, and reports a reset unless it is the first event', async () => {
  const token = { token: 'one' };
  const { asked, received, done } = stream(
    [new Response(event('a.1', 'reset') + event('a.2', 'execution')), new Response(event('b.1', 'reset'))],
    [token, token],
  );
  await done;
  expect(asked).toEqual([null, 'a.2']);
  expect(received).toEqual([
    { id: 'a.2', event: 'execution', executionId: 'a.2' },
    { id: 'b.1', event: 'reset', executionId: 'b.1' },
  ]);
});

test('has a refused token renewed', async () => {
  const { refusals, done } = stream([new Response(null, { status: 401 })], [{ token: 'one' }]);
  await done;
  expect(refusals).toEqual([null, 'one']);
});
