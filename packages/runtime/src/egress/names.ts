import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { HostsFile } from './hosts-file.ts';

/** A name that was not resolved, or not within its time (`ETIMEOUT`). */
export class NameFailure extends Error {
  override readonly name = 'NameFailure';
  /** A code of c-ares, such as `ENOTFOUND`. */
  readonly code: string;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.code = codeOf(cause) ?? 'ETIMEOUT';
  }
}

export interface NameOptions {
  /** `address` or `address:port`. Default: the servers of the system. */
  readonly servers?: readonly string[];
  /** Path of a hosts file that is asked before DNS, or null. */
  readonly hostsFile: string | null;
  /** Path of `resolv.conf`, for its search domains. Null: only whole names are resolved. */
  readonly resolvConf: string | null;
  /** Names that are looked up at the same time. More wait, within their own time. */
  readonly most: number;
}

/** Milliseconds for one name, from the request to its last answer. Beyond them it fails with `ETIMEOUT`. */
const NAME_MS = 8_000;
/** Milliseconds of the first try at one server. c-ares doubles them for the second. */
const TRY_MS = 2_000;
const TRIES = 2;
/**
 * Milliseconds for the other address family after one has answered (RFC 8305 has 50). Beyond them its answer is
 * dropped.
 */
const OTHER_FAMILY_MS = 200;
/** Search domains that are tried, as in glibc. More are ignored. */
const MOST_SEARCHED = 6;

/**
 * Resolves names by DNS, without `getaddrinfo`, which occupies a thread of libuv per name. Four names with silent
 * servers would block all other look-ups and file operations of the process.
 */
export class Names {
  readonly #options: NameOptions;
  readonly #hosts: HostsFile | null;
  readonly #underWay = new Map<string, Promise<string[]>>();
  readonly #waiting: (() => void)[] = [];
  #resolver: Resolver | null = null;
  #busy = 0;
  #closed = false;

  constructor(options: NameOptions) {
    this.#options = options;
    this.#hosts = options.hostsFile === null ? null : new HostsFile(options.hostsFile);
  }

  /**
   * All IPv4 and IPv6 addresses of a name, at least one. Requests for the same name share a look-up.
   * @throws NameFailure.
   */
  async addresses(host: string): Promise<string[]> {
    const name = host.toLowerCase();
    const fixed = this.#hosts?.addresses(name) ?? [];
    if (fixed.length > 0) return [...fixed];
    let lookup = this.#underWay.get(name);
    if (lookup === undefined) {
      lookup = this.#lookUp(name);
      this.#underWay.set(name, lookup);
      const forget = (): unknown => this.#underWay.delete(name);
      lookup.then(forget, forget);
    }
    return within(lookup, host);
  }

  /** Cancels running look-ups and starts no new ones. */
  close(): void {
    this.#closed = true;
    this.#resolver?.cancel();
  }

  async #lookUp(name: string): Promise<string[]> {
    const until = performance.now() + NAME_MS;
    // A look-up that is woken takes over the slot of the one that has ended.
    if (this.#busy < this.#options.most) this.#busy += 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    const left: Promise<unknown>[] = [];
    try {
      return await this.#first(candidates(name, this.#options.resolvConf), until, left);
    } finally {
      // The slot is freed when the servers have answered or timed out, not when the callers have left.
      void Promise.allSettled(left).then(() => {
        const next = this.#waiting.shift();
        if (next === undefined) this.#busy -= 1;
        else next();
      });
    }
  }

  async #first(names: readonly string[], until: number, left: Promise<unknown>[]): Promise<string[]> {
    let last: unknown = new NameFailure(`${names[0]} was not resolved in time`);
    for (const name of names) {
      if (this.#closed || performance.now() >= until) break;
      try {
        return await this.#query(name, left);
      } catch (error) {
        last = error;
        if (!isAbsent(error)) break;
      }
    }
    throw last instanceof NameFailure ? last : new NameFailure(`${names[0]} was not resolved`, last);
  }

  async #query(name: string, left: Promise<unknown>[]): Promise<string[]> {
    const found: string[][] = [[], []];
    const resolver = this.#opened();
    const asked = [resolver.resolve4(name), resolver.resolve6(name)].map(async (answer, family) => {
      found[family] = await answer;
    });
    const all = Promise.allSettled(asked);
    left.push(all);
    const one = await Promise.any(asked).then(
      () => true,
      () => false,
    );
    if (one) await Promise.race([all, pause(OTHER_FAMILY_MS)]);
    const addresses = found.flat();
    if (addresses.length > 0) return addresses;
    for (const answer of await all) if (answer.status === 'rejected') throw answer.reason;
    return addresses;
  }

  #opened(): Resolver {
    if (this.#resolver === null) {
      this.#resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
      if (this.#options.servers) this.#resolver.setServers(this.#options.servers);
    }
    return this.#resolver;
  }
}

function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

async function within<T>(lookup: Promise<T>, host: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NameFailure(`${host} was not resolved in time`)), NAME_MS);
  });
  try {
    return await Promise.race([lookup, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The names to look up, in the order of glibc: a name with few dots is tried in the search domains first. */
function candidates(name: string, resolvConf: string | null): string[] {
  if (resolvConf === null) return [name];
  const { domains, dots } = searchOf(resolvConf);
  const searched = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length - 1 >= dots ? [name, ...searched] : [...searched, name];
}

function searchOf(resolvConf: string): { domains: string[]; dots: number } {
  let text = '';
  try {
    text = readFileSync(resolvConf, 'utf8');
  } catch {
    // without the file there are no search domains
  }
  const last = [...text.matchAll(/^(?:search|domain)[ \t]+(.*)$/gm)].at(-1)?.[1] ?? '';
  const domains = last.split(/\s+/).filter((domain) => /^[\w.-]+$/.test(domain) && domain !== '.');
  const dots = Number(/^options\b.*\bndots:(\d+)/m.exec(text)?.[1] ?? 1);
  return { domains: domains.map((domain) => domain.replace(/\.$/, '')).slice(0, MOST_SEARCHED), dots };
}
