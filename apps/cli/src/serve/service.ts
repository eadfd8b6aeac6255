import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parametersFrom, Problem, unknownParameters, type InputParameters } from '@kethub/service-api';
import { createValidator, inputRules, type InputRules, type RequestValidator } from '@kethub/service-api/input-rules';
import { BuildError, type LocalInspection } from '@kethub/runtime/local';
import type { Output } from '../terminal/output.ts';
import { Echoes, isEcho } from './echoes.ts';
import type { Loaded, Loader } from './loader.ts';
import { ProjectWatch, takeSnapshot, type Snapshot } from './sources.ts';

/** A version of the code that can be run. */
export interface LoadedService extends Loaded {
  readonly snapshot: Snapshot;
  /** Key of the environment in which it was loaded. */
  readonly key: string;
  readonly parameters: InputParameters;
  /** The rules by which inputs are refused before they run, as on the platform. */
  readonly rules: Pick<InputRules, 'required'> & { readonly validator: RequestValidator | null };
}

/** Reason why the code as it is saved cannot be run. */
export interface LoadProblem {
  readonly code: string;
  readonly title: string;
  /** Names file and line, and what to do. */
  readonly detail: string;
}

export interface ServedServiceOptions {
  readonly folder: string;
  /** Folder for copies of the code. */
  readonly sources: string;
  readonly output: Output;
  /** True if the code runs in the folder itself, where the breakpoints of an editor are. */
  readonly withoutSnapshot: boolean;
  readonly load: Loader;
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** Called after each load. */
  readonly loaded: (service: LoadedService) => void;
  /** The copies that executions still run. */
  readonly inUse: () => ReadonlySet<string>;
}

/** The code of a project: loaded at the start and again after each save. The server itself never restarts. */
export class ServedService {
  readonly #options: ServedServiceOptions;
  readonly #watch: ProjectWatch;
  readonly #ending = new AbortController();
  readonly #echoes = new Echoes();
  #service: LoadedService | null = null;
  #problem: LoadProblem | null = null;
  #loading: Promise<void> | null = null;
  #again = false;
  /** Loads that have begun, and those that have ended. */
  #begun = 0;
  #ended = 0;
  #endedAt = 0;
  #current = Promise.resolve();
  #shape = '';
  /** Digest of the code that was loaded last, or failed. */
  #tried = '';

  constructor(options: ServedServiceOptions) {
    this.#options = options;
    mkdirSync(options.sources, { recursive: true });
    this.#watch = new ProjectWatch(options.folder, () => {
      this.#reload();
    });
  }

  async start(): Promise<void> {
    await this.#watch.renew();
    this.#reload();
    await this.#settled();
  }

  /** The newest code that was saved. Throws service-not-importable with file and line when it cannot be run. */
  async require(): Promise<LoadedService> {
    this.#watch.flush();
    await this.#settled();
    if (this.#problem !== null)
      throw new Problem('service-not-importable', `${this.#problem.title}. ${this.#problem.detail}`);
    if (this.#service === null) throw new Error('The service was asked for before it was loaded');
    return this.#service;
  }

  /** The newest code that could be loaded; null before. */
  get latest(): LoadedService | null {
    return this.#service;
  }

  get problem(): LoadProblem | null {
    return this.#problem;
  }

  /** Ends what is being loaded, and waits for that: it writes into the folder of sources. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#watch.close();
    await this.#loading;
  }

  /** Waits until everything is loaded that was saved before the call. Later saves do not hold it up. */
  async #settled(): Promise<void> {
    const wanted = this.#begun + (this.#again ? 1 : 0);
    while (this.#loading !== null && this.#ended < wanted) await this.#current;
  }

  /** Loads the code. Changes that come meanwhile are loaded afterwards, together. */
  #reload(): void {
    this.#again = true;
    this.#loading ??= this.#work().finally(() => {
      this.#loading = null;
    });
  }

  async #work(): Promise<void> {
    while (this.#again && !this.#ending.signal.aborted) {
      this.#again = false;
      this.#begun++;
      this.#current = this.#load().catch((error: unknown) => {
        if (!this.#ending.signal.aborted) this.#refuse(error);
      });
      await this.#current;
      this.#ended++;
      this.#endedAt = performance.now();
    }
  }

  async #load(): Promise<void> {
    const { folder, sources, output } = this.#options;
    await this.#watch.renew();
    const { digest, dir, files } = await takeSnapshot(folder, sources, this.#echoes.found);
    const snapshot = { digest, dir: this.#options.withoutSnapshot ? folder : dir };
    const delay = this.#watch.changedAt - this.#endedAt;
    for (const name of this.#echoes.observe(files, delay))
      output.note(
        output.style.yellow(
          `${name} changes whenever the code is loaded, so it no longer causes a reload. Name it in .ketignore if it does not belong to the service.`,
        ),
      );
    const isTried = digest === this.#tried && this.#problem !== null;
    this.#tried = digest;
    // The message about code that failed was the change, in a file that holds the output.
    if (isTried && this.#echoes.found.size > 0 && isEcho(delay)) return;
    const prepared = await this.#options.load(snapshot, {
      environment: await this.#options.environment(),
      signal: this.#ending.signal,
      onLine: (line) => {
        output.log({ ...line, message: line.message.replaceAll(snapshot.dir, folder) });
      },
    });
    const { key } = prepared;
    await this.#watch.renew(prepared.packages);
    const isSame = snapshot.digest === this.#service?.snapshot.digest && key === this.#service.key;
    if (isSame && this.#problem === null) return;
    const loaded = await prepared.load();
    const { inspection } = loaded;
    const isFirst = this.#service === null;
    const parameters = inspection === null ? unknownParameters : parametersFrom(inspection.parameters);
    const { required, schema } = inputRules(inspection?.parameters ?? []);
    const rules = { required, validator: schema && createValidator(schema) };
    this.#service = { snapshot, key, ...loaded, parameters, rules };
    const recovered = this.#problem !== null;
    this.#problem = null;
    if (inspection !== null) this.#warn(inspection);
    const shape = inspection === null ? 'the image is built' : `run${signatureText(inspection)}`;
    if (isFirst || recovered || shape !== this.#shape) output.note(output.style.green(shape));
    else output.note(output.style.dim('reloaded'));
    this.#shape = shape;
    this.#options.loaded(this.#service);
    this.#sweep(snapshot);
  }

  /** Packages of this machine that the platform would not install. */
  #warn({ unlisted }: LocalInspection): void {
    const { output } = this.#options;
    for (const { module, distribution, file, line } of unlisted)
      output.note(
        output.style.yellow(
          `${file}, line ${line}: ${module} is installed here, but requirements.txt does not bring it. Add ${distribution} to requirements.txt, or the service fails after ket up.`,
        ),
      );
  }

  #refuse(error: unknown): void {
    const { output, folder } = this.#options;
    this.#problem =
      error instanceof BuildError
        ? { code: error.code, title: error.title, detail: error.message.replaceAll('The ZIP', 'The folder') }
        : { code: 'not-loaded', title: 'Not loaded', detail: error instanceof Error ? error.message : String(error) };
    const { title, detail } = this.#problem;
    output.note(`${output.style.red(title)}: ${detail.replaceAll(`${folder}/`, '')}`);
  }

  /** Deletes copies of the code that nothing runs. */
  #sweep(current: Snapshot): void {
    const used = this.#options.inUse();
    for (const name of readdirSync(this.#options.sources)) {
      const dir = path.join(this.#options.sources, name);
      if (dir !== current.dir && !used.has(dir)) rmSync(dir, { recursive: true, force: true });
    }
  }
}

/** The parameters as they are written in Python. */
function signatureText({ parameters }: LocalInspection): string {
  const texts = parameters.map(({ name, annotation, required }) => {
    const type = annotation === null ? '' : `: ${annotation}`;
    return `${name}${type}${required ? '' : ' = ...'}`;
  });
  return `(${texts.join(', ')})`;
}
