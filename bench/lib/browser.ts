import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';

const WIDE = { width: 1360, height: 860 };
const PROGRAM = '/usr/bin/chromium';
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage'];
const PASSWORD = 'correct horse battery staple';

function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAM, args: ARGUMENTS });
}

/** A platform with its dashboard, and a page of it that ada has signed in to. A step of the page waits for `longestMs`. */
export async function withDashboard<T>(
  longestMs: number,
  measure: (page: Page, origin: string, kethub: TestKethub) => Promise<T>,
): Promise<T> {
  const kethub = await startTestKethub(sqlite, { KETHUB_DASHBOARD: 'auto' });
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({ viewport: WIDE });
    context.setDefaultTimeout(longestMs);
    const page = await context.newPage();
    const { origin } = new URL(kethub.platform.addresses.api);
    await signIn(page, origin);
    return await measure(page, origin, kethub);
  } finally {
    await browser.close();
    await kethub.close();
  }
}

/** Signs ada in. While the dashboard is built, the plain page looks again by itself. */
async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('input[name=username]').fill('ada');
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.locator('input[name=password]').press('Enter');
  await page.getByRole('heading', { name: 'Last executions' }).waitFor();
}

/** Processor time of the thread of a page, whatever other programs do. */
export interface Ticks {
  /** Milliseconds since the page was opened. */
  now(): Promise<number>;
  end(): Promise<void>;
}

export async function ticksOf(page: Page): Promise<Ticks> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    async now() {
      const { metrics } = await session.send('Performance.getMetrics');
      return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
    },
    end: () => session.detach(),
  };
}
