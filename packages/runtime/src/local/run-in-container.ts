import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Container } from '../containers/container.ts';
import type { Bind } from '../containers/description.ts';
import { bytesOf, type Engine } from '../containers/engine.ts';
import type { LocalEngine } from './find-engine.ts';

/** Bytes of each output stream that are read. The rest is dropped. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Milliseconds for one command, unless another limit is given. Beyond them it is ended. */
const LONGEST_MS = 120_000;
const HEADER = 8;
const STDERR = 2;

/** A command that runs once in a container of its own. */
export interface ContainerCommand {
  readonly image: string;
  readonly command: readonly string[];
  readonly binds: readonly Bind[];
  readonly labels: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Default `none`. */
  readonly network?: string;
  readonly limitMs?: number;
}

export interface CommandEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly timedOut: boolean;
}

/** Runs a command to its end, and removes its container. @throws the reason of the signal; EngineRefusal. */
export async function runInContainer(
  { engine, user, keepsUser }: LocalEngine,
  { image, command, binds, labels, environment = {}, network = 'none', limitMs = LONGEST_MS }: ContainerCommand,
  signal: AbortSignal,
): Promise<CommandEnd> {
  signal.throwIfAborted();
  const container = new Container(engine, `kethub-command-${randomBytes(8).toString('hex')}`);
  await container.create({
    Image: image,
    Labels: labels,
    User: `${user.uid}:${user.gid}`,
    Entrypoint: command,
    Cmd: [],
    Env: Object.entries({ HOME: '/tmp', LANG: 'C.UTF-8', ...environment }).map(([name, value]) => `${name}=${value}`),
    Tty: false,
    HostConfig: {
      NetworkMode: network,
      ...(keepsUser && { UsernsMode: 'keep-id' }),
      Init: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Mounts: binds,
    },
  });
  const kill = (): void => void container.signal('SIGKILL').catch(() => undefined);
  signal.addEventListener('abort', kill, { once: true });
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    kill();
  }, limitMs);
  try {
    await container.start();
    await container.stopped();
    const state = await stateAfter(container);
    signal.throwIfAborted();
    return { ...(await outputOf(engine, container.name)), code: state?.ExitCode ?? null, timedOut };
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', kill);
    await container.remove();
  }
}

/** An engine may report the end of a wait a moment before it has written the exit code. */
async function stateAfter(container: Container): ReturnType<Container['state']> {
  for (let attempt = 0; ; attempt++) {
    const state = await container.state();
    if (state === null || !state.Running || attempt === 100) return state;
    await pause(50);
  }
}

async function outputOf(engine: Engine, name: string): Promise<{ stdout: string; stderr: string }> {
  const query = { stdout: true, stderr: true };
  const bytes = await bytesOf(await engine.open('GET', `/containers/${name}/logs`, { query }), 2 * MOST_BYTES);
  const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  for (let at = 0; at + HEADER <= bytes.length;) {
    const end = at + HEADER + bytes.readUInt32BE(at + 4);
    parts[bytes[at] === STDERR ? 'stderr' : 'stdout'].push(bytes.subarray(at + HEADER, end));
    at = end;
  }
  const text = (name_: 'stdout' | 'stderr'): string =>
    Buffer.concat(parts[name_]).subarray(0, MOST_BYTES).toString('utf8');
  return { stdout: text('stdout'), stderr: text('stderr') };
}
