import type { Page } from 'playwright-core';

/** Notes each check of a workflow file that the worker of a page has answered. */
const NOTE_CHECKS = `
  window.kethubChecks = [];
  window.Worker = class extends Worker {
    constructor(...options) {
      super(...options);
      this.addEventListener('message', ({ data: { answer } }) => {
        if (answer && 'findings' in answer) window.kethubChecks.push(answer.ms);
      });
    }
  };`;

/** Milliseconds of each check that the worker has answered since the page was opened. */
export interface Checks {
  /** Returns their number. */
  count(): Promise<number>;
  /** Waits for the check after this number of them, and returns its milliseconds. */
  after(count: number): Promise<number>;
}

/** Follows the checks of the modeller in pages that are opened from now on. */
export async function followChecks(page: Page): Promise<Checks> {
  await page.addInitScript(NOTE_CHECKS);
  return {
    count: () => page.evaluate('window.kethubChecks.length'),
    // The page's policy forbids the functions by which Playwright waits.
    after: (count) =>
      page.evaluate(`new Promise((done) => {
        const look = () => (window.kethubChecks.length > ${count} ? done(window.kethubChecks[${count}]) : setTimeout(look, 10));
        look();
      })`),
  };
}
