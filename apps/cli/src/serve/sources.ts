import { createHash } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { limits } from '@kethub/contract';
import { usageFailure } from '../failures.ts';
import { translateConda } from '../project/conda.ts';
import { listProject, type ProjectFile } from '../project/files.ts';
import { sizeText } from '../terminal/size.ts';

/** The files of a project at one moment, in a folder that never changes. */
export interface Snapshot {
  readonly dir: string;
  readonly digest: string;
}

/** A snapshot that was just taken. */
export interface TakenSnapshot extends Snapshot {
  /** Digests of the files by name. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Copies what `ket up` would upload to a folder named by its content. A running execution keeps its copy, whatever is
 * saved meanwhile.
 * @param echoes names of files whose content makes no new copy
 */
export async function takeSnapshot(folder: string, into: string, echoes: ReadonlySet<string>): Promise<TakenSnapshot> {
  const files = await filesOf(folder);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length > limits.sourceFiles || bytes > limits.sourceUnpackedBytes)
    throw usageFailure(
      `The folder has ${files.length} files of ${sizeText(bytes)}; at most ${limits.sourceFiles} files of ${sizeText(limits.sourceUnpackedBytes)} can be uploaded. Name what the service does not need in .ketignore.`,
    );
  const hash = createHash('sha256');
  const contents = new Map<string, Buffer>();
  const digests = new Map<string, string>();
  for (const { name, path: source } of files) {
    const content = typeof source === 'string' ? await readFile(source) : source;
    const own = createHash('sha256').update(content).digest('hex');
    hash.update(`${name}\0${echoes.has(name) ? '' : own}\0`);
    digests.set(name, own);
    contents.set(name, content);
  }
  const digest = hash.digest('hex').slice(0, 16);
  const dir = path.join(into, digest);
  const draft = path.join(into, `draft-${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  for (const { name, executable } of files) {
    const file = path.join(draft, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, contents.get(name) ?? '', { mode: executable ? 0o755 : 0o644 });
  }
  await mkdir(draft, { recursive: true });
  await rename(draft, dir).catch(async (error: unknown) => {
    // The same content is there already.
    await rm(draft, { recursive: true, force: true });
    if (!(error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')))
      throw error;
  });
  return { dir, digest, files: digests };
}

async function filesOf(folder: string): Promise<readonly ProjectFile[]> {
  const { files } = await listProject(folder);
  if (files.some(({ name }) => name === 'requirements.txt')) return files;
  const conda = await translateConda(folder);
  if (conda === null) return files;
  const content = Buffer.from(`${conda.requirements.join('\n')}\n`);
  return [...files, { name: 'requirements.txt', path: content, executable: false, bytes: content.length }];
}

/** Milliseconds without a change after which a save counts as finished. */
const QUIET_MS = 100;

/** Watches the folders of a project that hold files of it. */
export class ProjectWatch {
  readonly #folder: string;
  readonly #changed: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #packages: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #changedAt = 0;
  #closed = false;

  /** @param changed is called when a file may have changed and nothing has for {@link QUIET_MS}. */
  constructor(folder: string, changed: () => void) {
    this.#folder = folder;
    this.#changed = changed;
  }

  /**
   * Watches the folders that there are now.
   * @param packages a folder of packages to watch as well; left out, the one that was given before.
   */
  async renew(packages: string | null = this.#packages): Promise<void> {
    this.#packages = packages;
    const { files } = await listProject(this.#folder);
    const wanted = new Set([this.#folder, path.join(this.#folder, 'src')]);
    if (packages !== null) wanted.add(packages);
    for (const { name } of files)
      for (let at = path.dirname(name); at !== '.'; at = path.dirname(at)) wanted.add(path.join(this.#folder, at));
    for (const [at, watcher] of this.#watchers)
      if (!wanted.has(at)) {
        watcher.close();
        this.#watchers.delete(at);
      }
    if (this.#closed) return;
    for (const at of wanted) if (!this.#watchers.has(at)) this.#watch(at);
  }

  /** Time of the first change of those that were seen last, as `performance.now()` says it. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** Reports a change that has been seen now. */
  flush(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#changed();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  #watch(at: string): void {
    try {
      const watcher = watch(at, (_event, name) => {
        if (name === '.kethub' || name === '__pycache__') return;
        if (this.#timer === null) this.#changedAt = performance.now();
        else clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
          this.flush();
        }, QUIET_MS);
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(at);
      });
      this.#watchers.set(at, watcher);
    } catch (error) {
      // A folder that was removed meanwhile; its parent reports it.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}
