import path from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import type { TestRealm } from '@kethub/server/testing/keycloak';
import { barriersOn, WIDE } from './barriers.ts';
import { watchTraffic, type Traffic } from './traffic.ts';

export const PROGRAM = '/usr/bin/chromium';
/** Starts it so that containers beside the test do not break its requests. */
const ALONE = path.join(import.meta.dirname, 'chromium-alone.py');
/** Containers often have a /dev/shm of 64 MB only, in which a large page crashes. */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage'];
export const PASSWORD = 'correct horse battery staple';

/** A platform with its dashboard, and a browser in which a person has signed in. */
export interface Dashboard {
  readonly kethub: TestKethub;
  readonly page: Page;
  readonly origin: string;
  /** Reports of the content security policy, errors of scripts, and requests to other origins. */
  readonly complaints: readonly string[];
  /** Everything that browsers have asked this platform for. */
  readonly traffic: Traffic;
  /** Another tab of the browser of `page`. */
  newPage(): Promise<Page>;
  /** A tab of this browser. */
  newPageIn(context: BrowserContext): Promise<Page>;
  /** A page of another browser, in which this person has signed in. */
  pageOf(username: string): Promise<Page>;
  /** A page of another browser, in which nobody has signed in. */
  pageOfNobody(): Promise<Page>;
  /** Barriers of these screens and whatever makes them wider than a telephone, in light and in dark. */
  barriersOn(screens: readonly string[]): Promise<string[]>;
  /** The same on a page of another person, or of nobody. */
  barriersOnPage(page: Page, screens: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts a platform and signs ada in. A realm is that of the settings: its Keycloak is visited as well. */
export async function openDashboard(
  settings: Readonly<Record<string, string>> = {},
  realm: TestRealm | null = null,
): Promise<Dashboard> {
  const kethub = await startTestKethub(sqlite, { KETHUB_DASHBOARD: 'auto', ...settings });
  const { origin } = new URL(kethub.platform.addresses.api);
  const origins = [origin, ...(realm ? [realm.origin] : [])];
  if (realm) await letComeBack(realm, kethub.platform.addresses.auth, origin);
  const traffic = watchTraffic(origin);
  const browser = await chromium.launch({ executablePath: ALONE, args: ARGUMENTS });
  const complaints: string[] = [];
  const pageIn = async (context: BrowserContext): Promise<Page> => {
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // A request that is refused is an error of the console as well: many tests want one.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text());
      else if (/Content Security Policy|Content-Security-Policy/i.test(message.text())) complaints.push(message.text());
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && !origins.includes(url.origin)) complaints.push(`request to ${url.origin}`);
    });
    return page;
  };
  const pageOfNobody = async (): Promise<Page> => pageIn(await browser.newContext({ viewport: WIDE }));
  const pageOf = async (username: string): Promise<Page> => {
    const page = await pageOfNobody();
    // While the dashboard is built, the plain page looks again by itself.
    await page.goto(`${origin}/`);
    await page.getByRole('button', { name: 'Sign in' }).click({ timeout: 150_000 });
    await fillIn(page, username);
    await page.getByRole('heading', { name: 'Last executions' }).waitFor();
    return page;
  };
  const page = await pageOf('ada');
  return {
    kethub,
    page,
    origin,
    complaints,
    traffic,
    newPage: () => pageIn(page.context()),
    newPageIn: pageIn,
    pageOf,
    pageOfNobody,
    barriersOn: (screens) => barriersOn(page, origin, screens),
    barriersOnPage: (other, screens) => barriersOn(other, origin, screens),
    async close() {
      await browser.close();
      traffic.close();
      await kethub.close();
    },
  };
}

/** Fills in the form of the sign-in, that of the platform or that of a Keycloak. */
export async function fillIn(page: Page, username: string): Promise<void> {
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.locator('input[name=password]').press('Enter');
}

/** Signs in again in another tab, from the dialog of a page whose session has ended. Returns that tab. */
export async function signInAgain(page: Page, username: string): Promise<Page> {
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  const [other] = await Promise.all([
    page.context().waitForEvent('page'),
    ended.getByRole('link', { name: 'Sign in again' }).click(),
  ]);
  await fillIn(other, username);
  await other.getByRole('heading', { name: 'Last executions' }).waitFor();
  await page.bringToFront();
  await page.evaluate('dispatchEvent(new Event("focus"))');
  await ended.waitFor({ state: 'detached' });
  return other;
}

/** Lets a realm send people back to a platform, as docs/configuration.md says. */
async function letComeBack(realm: TestRealm, auth: string, origin: string): Promise<void> {
  const [client] = (await realm.admin('GET', '/clients?clientId=kethub')) as [{ id: string; attributes: object }];
  await realm.admin('PUT', `/clients/${client.id}`, {
    ...client,
    redirectUris: [`${origin}/callback`, `${auth}/sign-in/callback`],
    webOrigins: [origin],
    attributes: { ...client.attributes, 'post.logout.redirect.uris': `${origin}/` },
  });
}
