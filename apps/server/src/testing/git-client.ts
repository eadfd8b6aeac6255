import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { PlatformClient } from '@kethub/client';

export interface GitAnswer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A real Git client with a home folder of its own. */
export class GitClient {
  readonly home: string;

  private constructor(home: string) {
    this.home = home;
  }

  static async open(): Promise<GitClient> {
    return new GitClient(await mkdtemp(path.join(os.tmpdir(), 'kethub-git-client-')));
  }

  close(): Promise<void> {
    return rm(this.home, { recursive: true, force: true, maxRetries: 3 });
  }

  at(...names: string[]): string {
    return path.join(this.home, ...names);
  }

  /** Runs Git in a folder below the home folder; any end is an answer. */
  async try(folder: string, ...args: string[]): Promise<GitAnswer> {
    const { out, ...rest } = await this.#run(folder, args, '');
    return { ...rest, out: out.toString('utf8') };
  }

  /** Runs Git with this input and returns its output as it is. Throws when it fails. */
  async bytes(folder: string, input: string | Buffer, ...args: string[]): Promise<Buffer> {
    const { code, out, err } = await this.#run(folder, args, input);
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${err}`);
    return out;
  }

  #run(folder: string, args: readonly string[], input: string | Buffer) {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.home,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((role) => [
          [`GIT_${role}_NAME`, 'Ada'],
          [`GIT_${role}_EMAIL`, 'ada@example.org'],
        ]),
      ),
    };
    return new Promise<{ code: number; out: Buffer; err: string }>((resolve) => {
      const child = execFile(
        'git',
        ['-c', 'init.defaultBranch=main', ...args],
        { cwd: this.at(folder), env, maxBuffer: 64 << 20, encoding: 'buffer' },
        (error, out, err) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err: err.toString() }),
      );
      child.stdin?.on('error', () => undefined).end(input);
    });
  }

  /** Runs Git and returns its output without the last line end. Throws when it fails. */
  async run(folder: string, ...args: string[]): Promise<string> {
    const { code, out, err } = await this.try(folder, ...args);
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${err}`);
    return out.trimEnd();
  }

  /** Writes files and commits them in a new or known folder. Returns the commit. */
  async commit(
    folder: string,
    files: Readonly<Record<string, string | Buffer>>,
    message: string = 'change',
  ): Promise<string> {
    await mkdir(this.at(folder), { recursive: true });
    if ((await this.try(folder, 'rev-parse', '--git-dir')).out.trim() !== '.git') await this.run(folder, 'init', '-q');
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(this.at(folder, name)), { recursive: true });
      await writeFile(this.at(folder, name), content);
    }
    await this.run(folder, 'add', '--all');
    await this.run(folder, 'commit', '-q', '--allow-empty', '-m', message);
    return this.run(folder, 'rev-parse', 'HEAD');
  }
}

/** Makes a personal access token, with which a Git client signs in. */
export async function gitTokenOf(client: PlatformClient): Promise<string> {
  return (await client.createAccessToken({ json: { name: 'git' } })).value ?? '';
}
