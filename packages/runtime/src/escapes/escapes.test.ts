import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testEngine } from '../testing/images.ts';
import { rootsForTests } from '../testing/roots.ts';
import { attack, HOSTILE, openContainerDriver, openSandboxDriver, type EscapeDriver } from './index.ts';

const drivers = [
  { name: 'sandbox', open: openSandboxDriver },
  ...(testEngine === null
    ? []
    : [
        {
          name: 'container',
          open: async (parent: string, roots: string) => openContainerDriver(testEngine ?? '', parent, roots),
        },
      ]),
];

describe.each(drivers)('$name', ({ open }) => {
  let driver: EscapeDriver;
  beforeAll(async () => {
    driver = await open(tmpdir(), await rootsForTests());
  });
  afterAll(async () => {
    await driver.close();
  });

  test('every hostile program is contained, and there are enough of them', async () => {
    const findings = await attack(driver);
    expect(findings.filter(({ contained }) => !contained)).toEqual([]);
    const names = findings.map(({ name }) => name);
    expect(HOSTILE.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(new Set(names).size).toBeGreaterThanOrEqual(40);
  }, 600_000);
});
