/** A page, or the address of a program that a redirect leads to. */
export interface Seen {
  readonly url: URL;
  readonly response: Response;
  readonly html: string;
}

interface Cookie {
  readonly origin: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

/**
 * A minimal browser: cookies by host and path, redirects as far as a server answers, forms with their hidden fields.
 */
export class Browser {
  /** Every `Set-Cookie` that was received. */
  readonly seen: string[] = [];
  #cookies: readonly Cookie[] = [];

  /**
   * Follows redirects up to a page, or up to an address that belongs to the program (`/callback` or the front page).
   */
  async open(url: URL, init: RequestInit = {}): Promise<Seen> {
    const { url: at, response, location } = await this.visit(url, init);
    const html = await response.text();
    if (location === null) return { url: at, response, html };
    const isOfProgram = location.pathname === '/callback' || location.pathname === '/';
    return isOfProgram ? { url: location, response, html: '' } : this.open(location);
  }

  /** Sends one request with its cookies. Returns the target of a redirect, or null. */
  async visit(url: URL, init: RequestInit = {}): Promise<{ url: URL; response: Response; location: URL | null }> {
    const own = this.#cookies.filter(({ origin, path }) => origin === url.host && url.pathname.startsWith(path));
    const headers = { accept: 'text/html', cookie: own.map(({ name, value }) => `${name}=${value}`).join('; ') };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(url.host, line);
    const location = response.headers.get('location');
    return { url, response, location: location === null ? null : new URL(location, url) };
  }

  submit(page: Seen, fields: Record<string, string>): Promise<Seen> {
    const action = /<form[^>]* action="([^"]*)"/.exec(page.html)?.[1];
    if (action === undefined) throw new Error(`There is no form on this page: ${page.html}`);
    const hidden = [...page.html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const body = new URLSearchParams([
      ...hidden.map(([, name = '', value = '']): [string, string] => [name, value]),
      ...Object.entries(fields),
    ]);
    return this.open(new URL(action.replaceAll('&amp;', '&'), page.url), { method: 'POST', body });
  }

  #keep(origin: string, line: string): void {
    this.seen.push(line);
    const [pair = '', ...attributes] = line.split(/; ?/);
    const equals = pair.indexOf('=');
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
    const attribute = (of: string): string | undefined =>
      attributes.find((one) => one.toLowerCase().startsWith(`${of}=`))?.slice(of.length + 1);
    const path = attribute('path') ?? '/';
    const expires = attribute('expires');
    const isGone =
      value === '' || attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
    const others = this.#cookies.filter((one) => one.origin !== origin || one.path !== path || one.name !== name);
    this.#cookies = isGone ? others : [...others, { origin, path, name, value }];
  }
}
