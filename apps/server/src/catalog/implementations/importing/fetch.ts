import { setTimeout as pause } from 'node:timers/promises';
import { isRefName } from '@kethub/contract';
import type { EgressProxies } from '@kethub/runtime/egress';
import { bytesOf } from '../git/repositories.ts';
import type { Git, GitRun } from '../git/git.ts';
import { serverOf } from './address.ts';
import { INCOMING } from './adopt.ts';
import { ImportFailure, isBeyondFileSize, meaningOf, TooLarge } from './failure.ts';
import { stepIn } from './progress.ts';

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/** The other repository, and what may be taken of it. */
export interface Origin {
  /** A checked address. */
  readonly url: string;
  readonly credential: Credential | null;
  /** Bytes by which the repository may grow. */
  readonly bytes: number;
  /** Milliseconds after which the import is given up. */
  readonly milliseconds: number;
}

export interface Surroundings {
  readonly git: Git;
  readonly proxies: EgressProxies;
  /** File with the certificates of the authorities that are trusted. */
  readonly certificates: string;
}

/** Milliseconds between two looks at the size of the repository. */
const LOOK_MS = 250;
/** Depth of a whole history. Git gives up a dumb server that is asked for a depth; what it sends is not checked. */
const WHOLE = '--depth=2147483647';
const HEAD_BYTES = 64 * 1024;

/**
 * Fetches the branches and tags of another repository into hidden refs. Returns its default branch, if it names one.
 * Every connection goes through a proxy that reaches this one server, and no private address. Throws ImportFailure.
 */
export async function fetchFrom(
  { git, proxies, certificates }: Surroundings,
  repository: string,
  origin: Origin,
  signal: AbortSignal,
  onStep: (step: string) => void,
): Promise<string | null> {
  const proxy = proxies.open([serverOf(origin.url)]);
  let refused = false;
  proxy.onRefused = () => (refused = true);
  const common = {
    repository,
    network: { folder: proxy.dir, certificates },
    settings: headerOf(origin.credential),
  };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(origin.milliseconds)]);
  try {
    await Promise.race([proxy.listens, aborted(limited)]);
    const head = await run(
      git,
      origin,
      { ...common, access: 'READ', args: ['ls-remote', '--symref', '--end-of-options', origin.url, 'HEAD'] },
      limited,
    );
    await fetchRefs(git, { ...common, access: 'WRITE', args: fetchArguments(origin.url) }, origin, limited, onStep);
    return defaultBranchIn(head);
  } catch (error) {
    if (signal.aborted) throw error;
    if (limited.aborted)
      throw new ImportFailure(`The import took more than ${Math.round(origin.milliseconds / 60_000)} minutes.`);
    if (refused) throw meaningOf('HTTP code 403 from proxy');
    throw error;
  } finally {
    proxy.close();
  }
}

function fetchArguments(url: string): string[] {
  const quiet = ['--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules'];
  const refs = ['heads', 'tags'].map((kind) => `+refs/${kind}/*:${INCOMING}/${kind}/*`);
  return ['fetch', '--progress', '--prune', ...quiet, WHOLE, '--end-of-options', url, ...refs];
}

/** The credential, in the environment of Git only. */
function headerOf(credential: Credential | null): NonNullable<GitRun['settings']> {
  if (!credential) return [];
  const basic = Buffer.from(`${credential.username}:${credential.password}`).toString('base64');
  return [['http.extraHeader', `Authorization: Basic ${basic}`]];
}

function defaultBranchIn(head: string): string | null {
  const name = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(head)?.[1] ?? '';
  return isRefName(name) ? name : null;
}

/** Runs Git to its end. Returns the beginning of its output. */
async function run(git: Git, { bytes }: Origin, asked: GitRun, signal: AbortSignal): Promise<string> {
  const child = git.spawn(asked);
  const kill = (): void => child.kill();
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (out.length < HEAD_BYTES) out += text;
  });
  child.stdin.end();
  const { code, message } = await child.ended;
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (code !== 0) throw isBeyondFileSize(message) ? new TooLarge(bytes) : meaningOf(message);
  return out;
}

async function fetchRefs(
  git: Git,
  asked: GitRun,
  origin: Origin,
  signal: AbortSignal,
  onStep: (step: string) => void,
): Promise<void> {
  const before = await bytesOf(asked.repository);
  const ended = new AbortController();
  const tooLarge = new AbortController();
  const grown = async (): Promise<number> => (await bytesOf(asked.repository)) - before;
  const watch = (async () => {
    for (;;) {
      await pause(LOOK_MS, undefined, { signal: ended.signal });
      if ((await grown()) > origin.bytes) return tooLarge.abort();
    }
  })().catch(() => undefined);
  const onMessage = (text: string): void => {
    const step = stepIn(text);
    if (step !== null) onStep(step);
  };
  try {
    await run(git, origin, { ...asked, onMessage }, AbortSignal.any([signal, tooLarge.signal]));
  } catch (error) {
    // The system ends Git at the size of the largest repository, with an error that does not say so.
    if (!tooLarge.signal.aborted && (signal.aborted || (await grown()) < origin.bytes)) throw error;
    throw new TooLarge(origin.bytes);
  } finally {
    ended.abort();
    await watch;
  }
  if ((await grown()) > origin.bytes) throw new TooLarge(origin.bytes);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(new Error('given up'));
    signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
  });
}
