import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { EgressProxy } from '../egress/proxies.ts';
import type { Inside } from '../egress/listen-inside.ts';
import type { Run } from '../runner/driver.ts';
import type { LineSink } from '../runner/log-file.ts';
import type { Bounds } from '../runner/measure-folder.ts';
import type { Layer } from '../runner/output-guard.ts';
import { keepWritten, type Written } from '../runner/result.ts';
import type { Exit } from '../sandbox/sandbox.ts';
import { descendantsOf } from '../sandbox/usage.ts';
import type { Cause, DataPoolMount, Limits, Severity } from '../types.ts';
import { LayerMeter } from './layer-meter.ts';
import { exitOf, wasStarted, type Container, type ContainerState } from './container.ts';
import { NOT_HANDED_OVER } from './handover.ts';
import { InputRefused } from './input-files.ts';
import { unreadWarnings } from './older-contract.ts';
import { readOutputFailure, readOutputResult, RESULT_FILE } from './output-result.ts';
import type { Meter } from './usage.ts';

/** Path of the output folder inside a container. */
const OUTPUT = '/var/runtime/output';
/** Milliseconds between two attempts to reach the engine. */
const LOOK_AGAIN_MS = 500;
const REMOVE_ATTEMPTS = 20;
const LOG_WITH_GAPS = 'The container engine was away for a while: lines of this log may be missing.';
/**
 * Exit codes of a container that was ended together with its engine, runner or machine. They mean SIGKILL, SIGTERM, an
 * end that nobody saw, or a handover that was cut off.
 */
const ENDED_FROM_OUTSIDE = [137, 143, 255, NOT_HANDED_OVER];

/** The steps before the start of a container. */
export interface Preparation {
  /** Writes the input files and creates the container. @throws InputRefused, EngineRefusal, EngineUnavailable */
  make(container: Container): Promise<void>;
  /** Lines for its standard input. @throws InputRefused */
  handover(): Buffer;
  /** Called just before its program can run. */
  handingOver(): void;
  /** Input files that it has never opened, and the number of all. Asked once, after its end. */
  unread(): Promise<{ names: readonly string[]; of: number }>;
  /** Ends the watch of its input. */
  close(): void;
}

/** Folders of this machine that belong to one run. */
export interface RunFolders {
  /** The folder that keeps everything of the execution. */
  readonly folder: string;
  readonly output: string;
  /** The data pools that it may change. */
  readonly pools: readonly DataPoolMount[];
  /** The owner of the output folder and of these data pools. Null when that is our own user. */
  readonly uid: number | null;
  /** The file to which the Python side writes the result. Without it, the result is `output.json`. */
  readonly written?: string;
}

/** Services outside the container that its run uses. */
export interface Surroundings {
  meter: Meter;
  /** Opens a proxy to the hosts that it may call. Null when it may call none. */
  openProxy: ((inside: Inside) => Promise<EgressProxy>) | null;
  /** Called when the container could not be removed after many attempts. */
  stayed(): void;
}

/** A run in a container. It outlives the runner; the next runner continues it, without a preparation. */
export class ContainerRun implements Run {
  readonly output: string;
  readonly uid: number | null;
  readonly pools: readonly DataPoolMount[];
  readonly ended: Promise<Exit>;
  readonly settled: Promise<void>;
  readonly resultIsOptional: boolean;
  readonly resultFile?: string;
  readonly refusal = 'The container could not be started';
  readonly #container: Container;
  readonly #meter: Meter;
  readonly #openProxy: Surroundings['openProxy'];
  readonly #stayed: Surroundings['stayed'];
  readonly #layer: LayerMeter;
  #proxy: EgressProxy | null = null;
  readonly #preparation: Preparation | null;
  readonly #written: string | null;
  readonly #folder: string;
  readonly #settle: () => void;
  readonly #end: (exit: Exit) => void;
  readonly #dropped = new AbortController();
  #sink: LineSink = () => undefined;
  #delivered = 0;
  #pid = 0;
  #isOver = false;
  #begun = false;
  /** Its program may have run: the handover was sent. */
  #handedOver: boolean;
  #killed = false;
  #terminated = false;
  #abandoned = false;
  /** The engine was away, and may have ended the container meanwhile. */
  #engineLost: boolean;
  /** The engine was seen to be away, so the log lines of that time may be missing. */
  #wasAway = false;
  #feedFailed = false;
  #failure: Cause | null = null;
  #exitCode = 0;

  /** @param preparation null when an earlier runner prepared it. `handedOver`: that runner has started its program. */
  constructor(
    container: Container,
    { meter, openProxy, stayed }: Surroundings,
    folders: RunFolders,
    preparation: Preparation | null,
    handedOver = false,
  ) {
    this.#container = container;
    this.#meter = meter;
    this.#layer = new LayerMeter(container);
    this.#openProxy = openProxy;
    this.#stayed = stayed;
    this.#folder = folders.folder;
    this.#written = folders.written ?? null;
    this.resultIsOptional = this.#written === null;
    if (this.#written === null) this.resultFile = RESULT_FILE;
    this.output = folders.output;
    this.uid = folders.uid;
    this.pools = folders.pools;
    this.#preparation = preparation;
    this.#handedOver = handedOver;
    this.#engineLost = preparation === null;
    const settled = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<Exit>();
    this.settled = settled.promise;
    this.#settle = settled.resolve;
    this.ended = ended.promise;
    this.#end = ended.resolve;
  }

  get pid(): number {
    return this.#pid;
  }

  processes(): readonly number[] {
    // The engine may be on another machine. There the number belongs to another process than here.
    const isHere = this.#pid > 0 && mountsOf(this.#pid).includes(` ${OUTPUT} `);
    return isHere ? [this.#pid, ...descendantsOf(this.#pid)] : [];
  }

  async layer(bounds: Bounds): Promise<Layer> {
    return this.#layer.measure(bounds, this.processes()[0] ?? null);
  }

  follow(sink: LineSink): void {
    this.#sink = sink;
  }

  drop(): void {
    this.#dropped.abort();
  }

  start(): void {
    if (this.#begun) return;
    this.#begun = true;
    void this.#live().then((exit) => {
      this.#proxy?.close();
      this.#preparation?.close();
      if (this.#abandoned) return;
      this.#isOver = true;
      this.#end(exit);
    });
  }

  terminate(): void {
    this.#terminated = true;
    if (this.#handedOver) this.#signal('SIGTERM');
  }

  kill(): void {
    this.#killed = true;
    if (this.#handedOver) this.#signal('SIGKILL');
    else if (!this.#begun) this.#end(refused(false));
    this.#begun = true;
  }

  abandon(): void {
    this.#abandoned = true;
    this.#dropped.abort();
  }

  tookJob(): boolean {
    return true;
  }

  async readResult(limits: Limits): Promise<Written> {
    if (this.#failure !== null) return { kind: 'FAILURE', cause: this.#failure };
    if (this.#written !== null)
      return keepWritten(this.#written, join(this.#folder, 'result.json'), limits.resultBytes);
    const written = await readOutputResult(this.output, this.#folder, limits.resultBytes, this.uid);
    if (this.#exitCode === 0 || written.kind !== 'RESULT') return written;
    return readOutputFailure(this.output) ?? written;
  }

  async release(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#remove();
        return;
      } catch (error) {
        if (attempt === REMOVE_ATTEMPTS) {
          console.error(`container ${this.#container.name} could not be removed yet: ${messageOf(error)}`);
          this.#stayed();
          return;
        }
        await pause(LOOK_AGAIN_MS * attempt, null, { ref: false });
      }
    }
  }

  async #remove(): Promise<void> {
    try {
      await this.#container.remove();
    } finally {
      // The processes must end even when the engine does not answer.
      await this.#meter.remove();
    }
  }

  async #live(): Promise<Exit> {
    try {
      if (this.#preparation !== null) await this.#begin(this.#preparation);
    } catch (error) {
      if (error instanceof InputRefused) {
        this.#failure = { type: 'InputRefused', title: 'Input refused', detail: error.message };
        this.#note('ERROR', error.message);
        return refused(true);
      }
      if (!this.#isUnwanted()) this.#note('ERROR', `${this.refusal}: ${messageOf(error)}`);
      return refused(false);
    }
    return this.#watch();
  }

  /** Prepares and starts the container. It waits for the handover: after an earlier failure its program did not run. */
  async #begin(preparation: Preparation): Promise<void> {
    const handover = preparation.handover();
    await preparation.make(this.#container);
    await this.#container.start();
    if (this.#openProxy !== null) await this.#use(this.#openProxy);
    const input = await this.#container.input();
    input.on('error', (error) => {
      this.#feedFailed = true;
      console.error(`container ${this.#container.name} did not take all of its input: ${error.message}`);
    });
    this.#handOver(preparation, input, handover);
    this.#settle();
  }

  #handOver(preparation: Preparation, input: Duplex, handover: Buffer): void {
    try {
      if (this.#isUnwanted()) throw new Error('it was ended before its start');
      preparation.handingOver();
    } catch (error) {
      input.destroy();
      throw error;
    }
    this.#handedOver = true;
    input.resume();
    input.end(handover);
  }

  async #use(open: NonNullable<Surroundings['openProxy']>): Promise<void> {
    const proxy = await open(await this.#container.inside());
    proxy.onRefused = (target, why) => {
      const message = `A connection to ${target} was refused: ${why}.`;
      console.error(`${this.#container.name}: ${message}`);
      this.#note('WARNING', message);
    };
    this.#proxy = proxy;
  }

  /** Opens the proxy again. The proxy of an earlier runner has ended with that runner. */
  async #reopenProxy(): Promise<void> {
    if (this.#openProxy === null || this.#proxy !== null) return;
    try {
      await this.#use(this.#openProxy);
    } catch (error) {
      this.#note('WARNING', `Its hosts cannot be reached any more: ${messageOf(error)}`);
    }
  }

  #isUnwanted(): boolean {
    return this.#killed || this.#terminated;
  }

  /** Follows the container to its end, through every loss of the engine. */
  async #watch(): Promise<Exit> {
    // A container without its handover waits for it for ever.
    if (!this.#handedOver) return refused(false);
    while (!this.#abandoned) {
      try {
        const before = await this.#container.state();
        if (before === null || !wasStarted(before)) return lost();
        if (before.Running) await this.#reopenProxy();
        this.#pid = before.Pid ?? 0;
        this.#settle();
        this.#meter.begin();
        // An engine that was ended and is back at once shows in nothing but this: its end of the container is not ours.
        await Promise.all([
          this.#container.stopped().catch((error: unknown) => this.#lose(error)),
          this.#readLog('LIVE'),
        ]);
        const after = before.Running ? await this.#container.state() : before;
        if (after !== null && !after.Running) {
          await this.#readLog('WHOLE');
          if (this.#wasAway) this.#note('WARNING', LOG_WITH_GAPS);
          await this.#warnOfUnread();
          this.#exitCode = after.ExitCode;
          return this.#judge(after);
        }
      } catch (error) {
        this.#lose(error);
      }
      await pause(LOOK_AGAIN_MS);
    }
    return lost();
  }

  /** Warns in the log about input that the program did not read: it may have used a sample of its own instead. */
  async #warnOfUnread(): Promise<void> {
    if (this.#preparation === null || this.#isUnwanted()) return;
    const unread = await this.#preparation.unread();
    if (unread.names.length === 0) return;
    for (const line of await unreadWarnings(unread, this.#container)) this.#note('WARNING', line);
  }

  #lose(error: unknown): void {
    if (!this.#engineLost)
      console.error(`container ${this.#container.name} cannot be followed at the moment: ${messageOf(error)}`);
    this.#engineLost = true;
    this.#wasAway = true;
  }

  #judge(state: ContainerState): Exit {
    const exit = { ...exitOf(state), ...this.#meter.read() };
    if (this.#killed || exit.outOfMemory) return exit;
    if (exit.code === NOT_HANDED_OVER && this.#feedFailed) return { ...exit, commandRan: false };
    return this.#engineLost && ENDED_FROM_OUTSIDE.includes(state.ExitCode) ? lost() : exit;
  }

  /** Reads the log from the first line, and delivers each line once, however often the connection begins anew. */
  async #readLog(mode: 'LIVE' | 'WHOLE'): Promise<void> {
    if (this.#dropped.signal.aborted) return;
    let seen = 0;
    const sink: LineSink = (line) => {
      seen += 1;
      if (seen <= this.#delivered || this.#dropped.signal.aborted) return;
      this.#delivered = seen;
      this.#sink(line);
    };
    try {
      await this.#container.readLog(mode, sink, this.#dropped.signal);
    } catch (error) {
      if (!this.#dropped.signal.aborted) throw error;
    }
  }

  #note(severity: Severity, message: string): void {
    this.#sink({ timestamp: new Date().toISOString(), severity, message }, 'OURS');
  }

  /** Sends a signal, and repeats it until the engine answers. */
  #signal(name: 'SIGTERM' | 'SIGKILL'): void {
    void (async () => {
      for (; !this.#isOver && !this.#abandoned; await pause(LOOK_AGAIN_MS, null, { ref: false })) {
        try {
          await this.#container.signal(name);
          return;
        } catch (error) {
          console.error(`container ${this.#container.name} could not be sent ${name} yet: ${messageOf(error)}`);
        }
      }
    })();
  }
}

function mountsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, 'latin1');
  } catch {
    return ''; // it has ended, or runs on another machine
  }
}

/** The exit of a container whose program did not run. `byItself`: because its input was refused, not because of us. */
function refused(byItself: boolean): Exit {
  return { ...NOTHING, code: 1, commandRan: byItself };
}

function lost(): Exit {
  return { ...NOTHING, code: null, commandRan: true, lost: true };
}

const NOTHING = { code: null, signal: null, outOfMemory: false, peakMemoryBytes: null, cpuMs: null };
