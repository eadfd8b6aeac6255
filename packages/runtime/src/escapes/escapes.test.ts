import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootsForTests } from '../testing/roots.ts';
import { attack, HOSTILE, openSandboxDriver, type EscapeDriver } from './index.ts';

let driver: EscapeDriver;
beforeAll(async () => {
  driver = await openSandboxDriver(tmpdir(), await rootsForTests());
});
afterAll(async () => {
  await driver.close();
});

test('every hostile program is held, and there are enough of them', async () => {
  const findings = await attack(driver);
  expect(findings.filter(({ held }) => !held)).toEqual([]);
  expect(findings.map(({ name }) => name).toSorted()).toEqual(HOSTILE.map(({ name }) => name).toSorted());
  expect(findings.length).toBeGreaterThanOrEqual(25);
}, 180_000);
