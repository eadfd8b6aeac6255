import { chmodSync, chownSync, closeSync, mkdirSync, openSync, renameSync, rmdirSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { baseEnvironment, type Mount } from '../sandbox/bwrap.ts';
import { launch, type Sandbox } from '../sandbox/launch.ts';
import type { Code, DataPoolMount, Limits } from '../types.ts';
import type { RunnerGround } from './ground.ts';
import { OutputLines } from './log-file.ts';

/** What a sandbox of a service is made for; a warm one serves any execution with the same. */
export interface ServiceSpec {
  code: Code;
  environment: Readonly<Record<string, string>>;
  limits: Limits;
}

export interface Handover {
  secrets: Readonly<Record<string, string>>;
  dataPools: readonly string[];
  input: Buffer;
}

/** A sandbox that runs one execution of a service, or waits for it. */
export interface ServiceSandbox {
  sandbox: Sandbox;
  lines: OutputLines;
  uid: number | null;
  /** Where it writes its result files. */
  readonly output: string;
  readonly warm: boolean;
  handOver(job: Handover, limits: Limits): void;
  /** False when a warm worker ended before it had read its job, so the service's own code has not run. Asked after its end. */
  tookJob(): boolean;
  /**
   * Brings `output` and `written` (what it reports) to the folder of an execution. Only when it has ended: bubblewrap may
   * not yet have mounted them when a worker gets its job.
   */
  moveTo(folder: string): void;
  /** Ends it and forgets what it printed. */
  end(): void;
}

let launched = 0;

/** Starts Python in a new sandbox, where it waits for its job on stdin. @throws when the sandbox cannot be started. */
export function openServiceSandbox(
  ground: RunnerGround,
  spec: ServiceSpec,
  nest: string,
  options: { warm: boolean; dataPools: readonly DataPoolMount[] },
): ServiceSandbox {
  const uid = ground.identities.take();
  try {
    const sandbox = start(ground, spec, nest, uid, options);
    void sandbox.ended.then(() => {
      ground.identities.release(uid);
    });
    return wrap(sandbox, nest, uid, options.warm);
  } catch (error) {
    ground.identities.release(uid);
    throw error;
  }
}

function start(
  ground: RunnerGround,
  { code, environment, limits }: ServiceSpec,
  nest: string,
  uid: number | null,
  options: { warm: boolean; dataPools: readonly DataPoolMount[] },
): Sandbox {
  const output = `${nest}/output`;
  mkdirSync(output, { mode: 0o700 });
  if (uid !== null) chownSync(output, uid, uid);
  const mounts: Mount[] = [
    { from: ground.reachable(code.sourceDir), to: '/app', writable: false },
    ...(code.layerDir === null ? [] : [{ from: ground.reachable(code.layerDir), to: '/deps', writable: false }]),
    { from: ground.reachable(output), to: '/var/runtime/output', writable: true },
    ...options.dataPools.map(({ parameter, path, writable }) => {
      if (!/^[^/\0]+$/.test(parameter) || parameter.startsWith('.'))
        throw new Error(`"${parameter}" cannot be a folder.`);
      return { from: ground.reachable(path), to: `/var/runtime/datapool/${parameter}`, writable };
    }),
  ];
  const imports = options.warm && code.imports.length > 0 ? ['--import', code.imports.join(',')] : [];
  const written = openSync(`${nest}/written`, 'a', 0o600);
  try {
    return launch(ground, {
      name: `service-${++launched}`,
      uid,
      command: ['/usr/bin/python3', '-I', '-S', '-u', '-B', '/runner/execute.py', ...imports],
      mounts,
      tmpBytes: limits.tmpBytes,
      workingDirectory: '/var/runtime/output',
      environment: { ...baseEnvironment(limits.cpus), ...environment },
      network: 'NONE',
      limits,
      fileBytes: null,
      resultFd: written,
    });
  } finally {
    closeSync(written);
  }
}

function wrap(sandbox: Sandbox, nest: string, uid: number | null, warm: boolean): ServiceSandbox {
  let taken = false;
  const service: ServiceSandbox = {
    sandbox,
    lines: new OutputLines(sandbox.stdout, sandbox.stderr),
    uid,
    output: `${nest}/output`,
    handOver(job, limits) {
      const header = Buffer.from(
        JSON.stringify({ secrets: job.secrets, dataPools: job.dataPools, limits: { fileBytes: limits.fileBytes } }),
      );
      // One write for small jobs: Python reads them with one system call.
      const frames = Buffer.concat([frameLength(header), header, frameLength(job.input), job.input]);
      sandbox.send(frames, (error) => {
        taken = !error;
        if (error) console.error(`a worker ended before its job was handed over: ${messageOf(error)}`);
      });
    },
    warm,
    tookJob: () => !warm || taken,
    moveTo(folder) {
      if (folder === nest) return;
      for (const part of ['output', 'written']) renameSync(`${nest}/${part}`, `${folder}/${part}`);
      rmdirSync(nest);
    },
    end() {
      service.lines.deliverTo(() => undefined);
      service.lines.drop();
      sandbox.kill();
    },
  };
  return service;
}

function frameLength(frame: Buffer): Buffer {
  return Buffer.from(`${frame.length}\n`);
}

/** A folder for an idle worker, outside of any execution. */
export function newNest(ground: RunnerGround, name: string): string {
  const nest = `${ground.places.nests}/${name}`;
  mkdirSync(nest, { mode: 0o711 });
  chmodSync(nest, 0o711); // whatever the umask
  return nest;
}
