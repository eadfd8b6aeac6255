import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContainerRun, type Preparation, type RunFolders, type Surroundings } from '../containers/container-run.ts';
import { Container } from '../containers/container.ts';
import { bind, describeContainer, LABELS, type Bind, type ImageConfig } from '../containers/description.ts';
import { secretVariables } from '../containers/handover.ts';
import { writeInputFiles } from '../containers/input-files.ts';
import { watchInput, type InputReads } from '../containers/input-reads.ts';
import { installationOf, type Installation } from '../containers/installation.ts';
import { seccompProfile } from '../containers/seccomp-profile.ts';
import { meterOf } from '../containers/usage.ts';
import type { LineSink } from '../runner/log-file.ts';
import type { ExecutionJob } from '../types.ts';
import { PYTHON_SIDE } from '../version.ts';
import type { LocalEngine } from './find-engine.ts';
import type { LocalDriver } from './local-runtime.ts';
import { shownText } from './shown-text.ts';

export interface EngineOptions {
  /** Folder of the state, which belongs to one process at a time. The engine sees it at the same path. */
  readonly dir: string;
  readonly engine: LocalEngine;
  /** Image with the interpreter for services of the Python template. */
  readonly pythonImage: string;
  /** The engine's network for services that declare hosts; all others have none. */
  readonly network: string;
}

/** The file in a container to which the Python side writes the result, as descriptor 3. */
const WRITTEN = '/.kethub/written';
const TO_FILE = `exec 3>${WRITTEN}; exec "$@"`;

/** Runs executions in containers of the engine of a person's own machine. They end with this process, or at the next start. */
export class EngineDriver implements LocalDriver {
  readonly #options: EngineOptions;
  readonly #installation: Installation;
  readonly #seccomp: string;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { dir, engine } = options;
    this.#installation = installationOf(dir);
    // The folder of a program is often one that a virtual machine does not see; the state folder is seen.
    cpSync(PYTHON_SIDE, pythonSideIn(dir), { recursive: true });
    const profile = join(dir, 'seccomp.json');
    writeFileSync(profile, seccompProfile());
    this.#seccomp = engine.isPodman ? profile : seccompProfile();
  }

  /** Labels of everything that this driver makes at the engine. */
  get labels(): Readonly<Record<string, string>> {
    return { [LABELS.installation]: this.#installation.id };
  }

  /** The name of the image for a copy of the code. */
  readonly imageName = (digest: string): string => this.#installation.imageFor(digest);

  run(job: ExecutionJob, folder: string): ContainerRun {
    const { code, secrets } = job;
    const { engine, owner } = this.#options.engine;
    const name = `${this.#installation.repository}-${job.executionId}.${randomBytes(4).toString('hex')}`;
    const isPython = !('image' in code);
    const folders = makeFolders(folder, owner, isPython);
    const container = new Container(engine, name);
    const surroundings = { meter: meterOf(container, null), openProxy: null, stayed: () => undefined };
    const preparation = isPython ? this.#python(job, code, folder) : this.#image(job, code, folder);
    const shown = shownText(null, Object.values(secrets));
    return new LocalContainerRun(container, surroundings, folders, preparation, shown);
  }

  /** Removes the containers that an earlier process has left. */
  async takeOver(): Promise<void> {
    const { engine } = this.#options.engine;
    const filters = JSON.stringify({ label: [`${LABELS.installation}=${this.#installation.id}`] });
    const found = (await engine.ask('GET', '/containers/json', { query: { all: true, filters } })) as { Id: string }[];
    for (const { Id } of found) await new Container(engine, Id).remove();
  }

  prewarm(): void {
    // A container for each execution, made when it starts.
  }

  afterExecution(): void {
    // Nothing waits.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #python(job: ExecutionJob, code: Exclude<ExecutionJob['code'], { image: string }>, folder: string): Preparation {
    const { secrets, secretEnvironment = {}, dataPools } = job;
    const names = dataPools.map(({ parameter }) => parameter);
    const header = JSON.stringify({ secrets, environment: secretEnvironment, dataPools: names });
    const command = ['python3', '-I', '-S', '-u', '-B', '/runner/execute.py', '--bridge', 'off'];
    return {
      handover: () => Buffer.concat([header, job.input].map((text) => frame(Buffer.from(text)))),
      make: async (container) => {
        const binds = [
          bind(code.sourceDir, '/app', false),
          bind(pythonSideIn(this.#options.dir), '/runner', false),
          bind(join(folder, 'written'), WRITTEN, true),
          ...(code.layerDir === null ? [] : [bind(code.layerDir, '/deps', false)]),
        ];
        const started = ['/bin/sh', '-c', TO_FILE, 'kethub', ...command];
        await this.#create(container, job, folder, { image: this.#options.pythonImage, command: started, binds });
      },
      handingOver: () => undefined,
      unread: () => Promise.resolve({ names: [], of: 0 }),
      close: () => undefined,
    };
  }

  #image(job: ExecutionJob, { image }: { image: string }, folder: string): Preparation {
    let variables: Record<string, string> = {};
    let reads: InputReads | null = null;
    let files = 0;
    return {
      handover: () => {
        variables = secretVariables(job.secrets);
        return Buffer.alloc(0);
      },
      make: async (container) => {
        const names = writeInputFiles(Buffer.from(job.input), join(folder, 'input'));
        files = names.length;
        if (names.length > 0 && process.platform === 'linux') reads = await watchInput(join(folder, 'input'), names);
        await this.#create(container, job, folder, { image, variables });
      },
      handingOver: () => undefined,
      unread: async () => ({ names: (await reads?.unread()) ?? [], of: files }),
      close: () => reads?.stop(),
    };
  }

  async #create(
    container: Container,
    job: ExecutionJob,
    folder: string,
    made: {
      readonly image: string;
      readonly command?: readonly string[];
      readonly binds?: readonly Bind[];
      readonly variables?: Readonly<Record<string, string>>;
    },
  ): Promise<void> {
    const { engine, user, keepsUser, isPodman } = this.#options.engine;
    const { image, command, binds = [], variables = {} } = made;
    const { hosts = [], dataPools, limits } = job;
    const { Config: config } = (await engine.ask('GET', `/images/${image}/json`)) as { Config: ImageConfig };
    const description = {
      image,
      config,
      labels: { ...this.labels, [LABELS.execution]: job.executionId },
      environment: { ...job.environment, ...variables },
      dataPools,
      limits,
      ...(command !== undefined && { command, workingDir: '/var/runtime/output' }),
      user,
      keepsUser,
      folders: { input: join(folder, 'input'), output: join(folder, 'output'), helper: null },
      binds,
      network: hosts.length > 0 ? this.#options.network : 'none',
      cgroup: null,
      seccomp: this.#seccomp,
      isPodman,
    };
    await container.create(describeContainer(description));
  }
}

/** A container whose log hides secrets. */
class LocalContainerRun extends ContainerRun {
  readonly #shown: (text: string) => string;

  constructor(
    container: Container,
    surroundings: Surroundings,
    folders: RunFolders,
    preparation: Preparation,
    shown: (text: string) => string,
  ) {
    super(container, surroundings, folders, preparation);
    this.#shown = shown;
  }

  override follow(sink: LineSink): void {
    super.follow((line) => {
      sink({ ...line, message: this.#shown(line.message) });
    });
  }
}

/** The copy of our Python side that containers see. */
export function pythonSideIn(dir: string): string {
  return join(dir, 'python');
}

/** A part of the job, as the Python side reads it from its standard input. */
function frame(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length}\n`), bytes]);
}

function makeFolders(folder: string, owner: number | null, isPython: boolean): RunFolders {
  chmodSync(folder, 0o700);
  const output = join(folder, 'output');
  const written = join(folder, 'written');
  mkdirSync(join(folder, 'input'), { mode: 0o755 });
  mkdirSync(output, { mode: 0o700 });
  if (isPython) writeFileSync(written, '', { mode: 0o600 });
  if (owner !== null) for (const path of isPython ? [output, written] : [output]) chownSync(path, owner, owner);
  return { folder, output, uid: owner, pools: [], ...(isPython && { written }) };
}
