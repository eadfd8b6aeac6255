import type { Git, GitProcess } from '../git/git.ts';

export interface ObjectInfo {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
}

interface Waiting {
  readonly withContent: boolean;
  readonly done: (answer: Answered | null) => void;
  readonly fail: (error: Error) => void;
}

interface Answered {
  readonly info: ObjectInfo;
  readonly content: Buffer;
}

const HEAD = /^([0-9a-f]{40,64}) (\S+) (\d+)$/;
const LINE_END = 10;
/** Bytes of a header line. Beyond them the answer is damaged. */
const HEAD_BYTES = 16 * 1024;

/** One `git cat-file --batch-command` of a repository, which answers in the order of the requests. */
export class CatFile {
  readonly #child: GitProcess;
  readonly #waiting: Waiting[] = [];
  #chunks: Buffer[] = [];
  #length = 0;
  /** The object whose content arrives. */
  #info: ObjectInfo | null = null;
  #ended = false;
  usedAt: number;

  constructor(git: Git, repository: string, now: number) {
    this.usedAt = now;
    this.#child = git.spawn({ repository, access: 'READ', args: ['cat-file', '--batch-command'] });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    void this.#child.ended.then(({ message }) => {
      this.#ended = true;
      for (const { fail } of this.#waiting.splice(0)) fail(new Error(`git cat-file ended: ${message}`));
    });
  }

  get isUsable(): boolean {
    return !this.#ended;
  }

  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Describes an object; null when there is none. `name` has no line end. */
  async info(name: string): Promise<ObjectInfo | null> {
    return (await this.#ask('info', name))?.info ?? null;
  }

  /** Reads an object whose size the caller has judged; null when there is none. */
  async content(id: string): Promise<Buffer | null> {
    return (await this.#ask('contents', id))?.content ?? null;
  }

  close(): void {
    this.#child.kill();
  }

  #ask(command: 'info' | 'contents', name: string): Promise<Answered | null> {
    if (/[\n\0]/.test(name)) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(new Error('git cat-file has ended'));
      this.#waiting.push({ withContent: command === 'contents', done: resolve, fail: reject });
      this.#child.stdin.write(`${command} ${name}\n`);
    });
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#step());
  }

  /** Reads one header or one content, if all of it has arrived. */
  #step(): boolean {
    if (this.#info) {
      const { bytes } = this.#info;
      if (this.#length <= bytes) return false;
      const all = this.#joined();
      this.#keep(all.subarray(bytes + 1));
      const answer = { info: this.#info, content: all.subarray(0, bytes) };
      this.#info = null;
      this.#waiting.shift()?.done(answer);
      return true;
    }
    if (this.#length === 0) return false;
    const all = this.#joined();
    const end = all.indexOf(LINE_END);
    if (end < 0) {
      if (all.length > HEAD_BYTES) this.close();
      this.#keep(all);
      return false;
    }
    this.#keep(all.subarray(end + 1));
    this.#readHead(all.toString('utf8', 0, end));
    return true;
  }

  #readHead(line: string): void {
    const [, id, type, bytes] = HEAD.exec(line) ?? [];
    const info = id !== undefined && type !== undefined ? { id, type, bytes: Number(bytes) } : null;
    if (info && this.#waiting[0]?.withContent) this.#info = info;
    else this.#waiting.shift()?.done(info && { info, content: Buffer.alloc(0) });
  }

  #joined(): Buffer {
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
  }

  #keep(bytes: Buffer): void {
    this.#chunks = bytes.length > 0 ? [bytes] : [];
    this.#length = bytes.length;
  }
}

/** Processes that stay open for reading at a time, and milliseconds for which an idle one stays. */
const MOST = 32;
const IDLE_MS = 60_000;

/** One {@link CatFile} for each repository that is being read. */
export class CatFiles {
  readonly #git: Git;
  readonly #now: () => number;
  readonly #open = new Map<string, CatFile>();
  readonly #timer: NodeJS.Timeout;

  constructor(git: Git, now: () => number) {
    this.#git = git;
    this.#now = now;
    this.#timer = setInterval(() => this.#closeIdle(), IDLE_MS / 4);
    this.#timer.unref();
  }

  of(repository: string): CatFile {
    let found = this.#open.get(repository);
    if (!found?.isUsable) {
      if (this.#open.size >= MOST) this.#closeOldest();
      found = new CatFile(this.#git, repository, this.#now());
    }
    found.usedAt = this.#now();
    // The order of the map is that of the last use.
    this.#open.delete(repository);
    this.#open.set(repository, found);
    return found;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const one of this.#open.values()) one.close();
    this.#open.clear();
  }

  #closeIdle(): void {
    for (const [repository, one] of this.#open)
      if (!one.isBusy && one.usedAt < this.#now() - IDLE_MS) this.#drop(repository, one);
  }

  #closeOldest(): void {
    const [oldest] = [...this.#open].filter(([, one]) => !one.isBusy);
    if (oldest) this.#drop(...oldest);
  }

  #drop(repository: string, one: CatFile): void {
    this.#open.delete(repository);
    one.close();
  }
}
