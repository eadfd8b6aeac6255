import { Browser, type Seen } from './browser.ts';
import type { TestAccounts } from './accounts.ts';
import { mailsTo, tokenIn } from './outbox.ts';

/** The fields that a user fills in. */
export const ADA = {
  email: 'ada@example.org',
  username: '',
  firstname: 'Ada',
  lastname: 'Lovelace',
  password: 'correct horse battery staple',
};

/** A visitor of the registration pages, who can read the mails of all people. */
export function visitorOf({ platform, token }: TestAccounts) {
  const { auth } = platform.addresses;
  const submit = async (path: string, fields: Record<string, string>): Promise<Seen> => {
    const browser = new Browser();
    return browser.submit(await browser.open(new URL(auth + path)), fields);
  };
  return {
    submit,
    open: (path: string): Promise<Seen> => new Browser().open(new URL(auth + path)),
    register: (fields: Partial<typeof ADA> = {}) => submit('/register', { ...ADA, ...fields }),
    /** The token in the newest mail to this address. */
    newestToken: async (email: string): Promise<string> => tokenIn(await mailsTo(platform, email)),
    verify: (value: string, password: string = ADA.password): Promise<Seen> =>
      new Browser().open(new URL(`${auth}/verify/${value}`), {
        method: 'POST',
        body: new URLSearchParams({ password }),
      }),
    setPassword: (value: string, password: string): Promise<Seen> =>
      new Browser().open(new URL(`${auth}/password/${value}`), {
        method: 'POST',
        body: new URLSearchParams({ password }),
      }),
    /** A login session, or null. */
    async signIn(username: string, password: string = ADA.password) {
      const response = await token({ grant_type: 'password', username, password });
      return response.ok ? ((await response.json()) as { access_token: string; refresh_token: string }) : null;
    },
  };
}
