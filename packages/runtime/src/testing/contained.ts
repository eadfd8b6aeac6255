import { expect } from 'vitest';
import { attack, HOSTILE, type EscapeDriver } from '../escapes/index.ts';

/** Expects that a driver contains every hostile program, and that there are enough of them. Closes the driver. */
export async function expectContained(driver: EscapeDriver): Promise<void> {
  try {
    const findings = await attack(driver);
    expect(findings.filter(({ contained }) => !contained)).toEqual([]);
    const names = findings.map(({ name }) => name);
    expect(HOSTILE.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(new Set(names).size).toBeGreaterThanOrEqual(40);
  } finally {
    await driver.close();
  }
}
