import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Exit } from '../sandbox/sandbox.ts';
import type { LogLine } from '../types.ts';
import { EngineRefusal, EngineUnavailable, type Engine } from './engine.ts';
import { LogFrames } from './log-frames.ts';

/** The state of a container as the engine reports it, as far as it is used here. */
export interface ContainerState {
  Running: boolean;
  OOMKilled?: boolean;
  ExitCode: number;
  Error?: string;
  Pid?: number;
  /** In the year 1 when it was never started. */
  StartedAt: string;
}

interface Stats {
  cpu_stats?: { cpu_usage?: { total_usage?: number } };
  memory_stats?: { usage?: number; max_usage?: number };
}

/** One container of an engine, addressed by its name. */
export class Container {
  readonly name: string;
  readonly #engine: Engine;

  constructor(engine: Engine, name: string) {
    this.#engine = engine;
    this.name = name;
  }

  async create(description: object): Promise<void> {
    await this.#engine.ask('POST', '/containers/create', { query: { name: this.name }, body: description });
  }

  /** Opens its standard input. The engine keeps written data until the container reads it. */
  async input(): Promise<Duplex> {
    return this.#engine.attachInput(this.name);
  }

  async start(): Promise<void> {
    await this.#engine.ask('POST', this.#path('/start'));
  }

  /** Null when the container does not exist (any more). */
  async state(): Promise<ContainerState | null> {
    try {
      const { State } = (await this.#engine.ask('GET', this.#path('/json'))) as { State: ContainerState };
      return State;
    } catch (error) {
      if (error instanceof EngineRefusal && error.status === 404) return null;
      throw error;
    }
  }

  /**
   * Its id and its first process.
   * @throws when it does not run.
   */
  async inside(): Promise<{ containerId: string; pid: number }> {
    const { Id, State } = (await this.#engine.ask('GET', this.#path('/json'))) as { Id: string; State: ContainerState };
    if (!State.Running || !State.Pid) throw new Error('it ended at once');
    return { containerId: Id, pid: State.Pid };
  }

  /** The folder on the engine's disk with the changes to its image. Null when the engine names none. */
  async upperFolder(): Promise<string | null> {
    const { GraphDriver } = (await this.#engine.ask('GET', this.#path('/json'))) as {
      GraphDriver?: { Data?: { UpperDir?: string } | null };
    };
    return GraphDriver?.Data?.UpperDir ?? null;
  }

  /** Bytes that it has changed in its image, as the engine counts them. */
  async writtenBytes(): Promise<number> {
    const { SizeRw } = (await this.#engine.ask('GET', this.#path('/json'), { query: { size: true } })) as {
      SizeRw?: number;
    };
    return SizeRw ?? 0;
  }

  /** Returns whether its image has a file or folder at this path. */
  async contains(path: string): Promise<boolean> {
    try {
      (await this.#engine.open('HEAD', this.#path('/archive'), { query: { path } })).resume();
      return true;
    } catch (error) {
      if (error instanceof EngineRefusal) return false;
      throw error;
    }
  }

  /** Asks for the present usage. Null when the engine does not report it (any more). */
  async stats(): Promise<{ cpuNs: number; memoryBytes: number } | null> {
    try {
      const query = { stream: false, 'one-shot': true };
      const answer = (await this.#engine.ask('GET', this.#path('/stats'), { query })) as Stats | null;
      if (answer === null) return null;
      const { cpu_stats, memory_stats } = answer;
      const memoryBytes = memory_stats?.max_usage ?? memory_stats?.usage ?? 0;
      return { cpuNs: cpu_stats?.cpu_usage?.total_usage ?? 0, memoryBytes };
    } catch (error) {
      if (error instanceof EngineRefusal || error instanceof EngineUnavailable) return null;
      throw error;
    }
  }

  /** Resolves when it does not run. @throws EngineUnavailable when the connection is lost before that. */
  async stopped(): Promise<void> {
    const answer = await this.#engine.open('POST', this.#path('/wait'));
    let words = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => (words += chunk));
    // An engine that is shut down may end the answer without a word, in the place of cutting it off.
    if ((await endOf(answer)) === 'CUT' || !words.includes('StatusCode'))
      throw new EngineUnavailable('the wait for its end was cut off');
  }

  /**
   * Delivers the lines of its log from the first on. WHOLE: all that exist now. LIVE: until it has ended, or the
   * connection is lost. An engine that follows a log may leave out the last lines.
   */
  async readLog(mode: 'LIVE' | 'WHOLE', sink: (line: LogLine) => void, signal: AbortSignal): Promise<void> {
    const query = { follow: mode === 'LIVE', stdout: true, stderr: true, timestamps: true };
    const answer = await this.#engine.open('GET', this.#path('/logs'), { query, signal });
    const frames = new LogFrames(sink);
    answer.on('data', (chunk: Buffer) => {
      frames.push(chunk);
    });
    const end = await endOf(answer);
    if (mode === 'LIVE') return;
    if (end === 'CUT') throw new EngineUnavailable('the log was cut off');
    frames.end();
  }

  async signal(name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#engine.settle('POST', this.#path('/kill'), { query: { signal: name } });
  }

  /** Removes it with the volumes that the engine made for it. */
  async remove(): Promise<void> {
    await this.#engine.settle('DELETE', this.#path(''), { query: { force: true, v: true } });
  }

  #path(suffix: string): string {
    return `/containers/${this.name}${suffix}`;
  }
}

export function wasStarted(state: ContainerState): boolean {
  return !state.StartedAt.startsWith('0001-');
}

/** The engine reports the end by signal n as 128 + n, as shells do. */
export function exitOf(state: ContainerState): Exit {
  return {
    code: state.ExitCode,
    signal: null,
    commandRan: wasStarted(state),
    outOfMemory: state.OOMKilled ?? false,
    peakMemoryBytes: null,
    cpuMs: null,
  };
}

async function endOf(answer: IncomingMessage): Promise<'WHOLE' | 'CUT'> {
  return new Promise((resolve) => {
    answer.once('end', () => {
      resolve('WHOLE');
    });
    // 'close' follows an error. It resolves only when 'end' has not come before.
    answer.on('error', () => undefined);
    answer.once('close', () => {
      resolve('CUT');
    });
  });
}
