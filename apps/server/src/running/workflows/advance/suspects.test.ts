import { describe, expect, test } from 'vitest';
import { Suspects } from './suspects.ts';

/** An error of a database that refuses a row. */
const refused = Object.assign(new Error('value "secret" refused'), { code: '23514' });

describe('what could not be written', () => {
  test('is tried one by one, in turns with others', () => {
    const suspects = new Suspects(() => 0);
    expect(suspects.next(new Set())).toBeNull();
    suspects.suspect(['a', 'b']);
    const turns = Array.from({ length: 4 }, () => suspects.next(new Set(['a'])));
    expect(turns.map((turn) => turn?.id)).toEqual(['b', undefined, 'b', undefined]);
    expect(suspects.next(new Set())).toEqual({ id: 'a', takes: 'ALL', givenUp: null });
    suspects.wrote(['a']);
    expect(['a', 'b'].map((id) => suspects.has(id))).toEqual([false, true]);
  });

  test('is tried less and less often, and given up with a cause that holds nothing of the instance', () => {
    let now = 0;
    const suspects = new Suspects(() => now);
    suspects.suspect(['a']);
    suspects.failed('a', refused, 'ALL');
    const pauses: number[] = [];
    for (let turn = null; turn?.givenUp == null;) {
      const before = now;
      while ((turn = suspects.next(new Set())) === null) now += 250;
      pauses.push(now - before);
      if (turn.givenUp === null) suspects.failed('a', refused, 'EVENT');
      else expect(turn.givenUp).toMatchObject({ cause: expect.stringContaining('23514') as string, isFinal: false });
      expect(turn.givenUp?.cause ?? '').not.toContain('secret');
      expect(pauses.length).toBeLessThan(30);
    }
    expect(pauses.slice(1, 5)).toEqual([500, 1000, 2000, 4000]);
    expect(Math.max(...pauses)).toBe(30_000);
    suspects.wrote(['a']);
    expect(suspects.has('a')).toBe(false);
  });

  test('is not tried for ever when even its end cannot be written', () => {
    let now = 0;
    const suspects = new Suspects(() => now);
    suspects.giveUp('a', 'cause');
    let tries = 0;
    for (; now < 24 * 3_600_000; now += 1_000) {
      if (suspects.next(new Set()) === null) continue;
      tries += 1;
      suspects.failed('a', refused, 'ITS_END');
    }
    expect(tries).toBe(20);
  });

  test('is no fault the first few times that another process has advanced the instance, and a fault after that', () => {
    const suspects = new Suspects(() => 0);
    expect([1, 2, 3, 4].map(() => suspects.mayConflict(['a', 'b']))).toEqual([true, true, true, false]);
    suspects.wrote(['a', 'b']);
    expect(suspects.mayConflict(['a', 'b'])).toBe(true);
  });
});
