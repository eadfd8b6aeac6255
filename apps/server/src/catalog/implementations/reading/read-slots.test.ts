import { expect, test } from 'vitest';
import { ReadSlots } from './read-slots.ts';

/** Starts work that goes on until it is ended. */
function works(slots: ReadSlots) {
  const running: { caller: string; end: () => void }[] = [];
  const begin = (caller: string) =>
    slots.during(caller, () => new Promise<void>((end) => running.push({ caller, end })));
  return { running, begin };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('reads beyond those of a caller wait, and those of others do not', async () => {
  const { running, begin } = works(new ReadSlots());
  const all = Array.from({ length: 6 }, () => begin('ada'));
  all.push(begin('ben'));
  await settle();
  expect(running.map(({ caller }) => caller)).toEqual(['ada', 'ada', 'ada', 'ada', 'ben']);
  running[0]?.end();
  await settle();
  expect(running).toHaveLength(6);
  for (let at = 0; at < 7; at++) {
    running[at]?.end();
    await settle();
  }
  await Promise.all(all);
});

test('a caller with too many waiting reads is refused, and a failure gives the slot back', async () => {
  const slots = new ReadSlots();
  const { running, begin } = works(slots);
  const all = Array.from({ length: 24 }, () => begin('ada'));
  await settle();
  expect(running).toHaveLength(4);
  await expect(begin('ada')).rejects.toMatchObject({ code: 'too-many-readers' });
  for (let at = 0; at < 24; at++) {
    running[at]?.end();
    await settle();
  }
  await Promise.all(all);
  for (let turn = 0; turn < 10; turn++)
    await expect(slots.during('ada', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
