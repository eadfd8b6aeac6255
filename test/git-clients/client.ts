import { execFile } from 'node:child_process';
import path from 'node:path';
import type { GitAnswer, GitClient } from '@kethub/server/testing/git-client';

/**
 * A program that is a Git client. Every one has the same commands, so that one test suits all.
 * `clone URL FOLDER DEPTH FILTER`: 0 and - are none. `commit FOLDER FILE TEXT` prints the id. `tag FOLDER NAME`.
 * `push FOLDER URL SOURCE TARGET FORCE`: no source deletes, 1 forces. `fetch FOLDER URL REF` prints the id. `list URL`
 * prints lines of id and ref. `head FOLDER`. `count FOLDER` counts commits.
 */
export interface GitProgram {
  readonly name: string;
  /** Filters of partial clones are understood. */
  readonly isPartial: boolean;
  run(...args: string[]): Promise<GitAnswer>;
}

const here = import.meta.dirname;

/** A program of this folder. */
function program(
  name: string,
  isPartial: boolean,
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
): GitProgram {
  const [file = '', ...first] = command;
  return {
    name,
    isPartial,
    run: (...args) =>
      new Promise((resolve) => {
        const options = { env: { PATH: process.env['PATH'], ...env }, maxBuffer: 1 << 24 };
        execFile(file, [...first, ...args], options, (error, out, err) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err }),
        );
      }),
  };
}

export const isomorphicGit = program('isomorphic-git', false, [process.execPath, path.join(here, 'isomorphic.ts')]);

/** A client in Python. `packages` is the folder of its library, for PYTHONPATH. */
function inPython(name: string, isPartial: boolean): (packages: string) => GitProgram {
  const command = ['/usr/bin/python3', path.join(here, `${name}_client.py`)];
  return (packages) =>
    program(name, isPartial, command, { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1', HOME: '/nonexistent' });
}

export const dulwich = inPython('dulwich', true);
export const libgit2 = inPython('libgit2', false);

/** `folder` has the classes of JGit and of its client. */
export function jgit(folder: string): GitProgram {
  const options = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Duser.home=/nonexistent'];
  return program('JGit', true, ['java', ...options, '-cp', `${folder}/*:${folder}`, 'JGitClient']);
}

/** Git itself, with one version of its protocol. */
export function realGit(client: GitClient, version: number): GitProgram {
  const git = (folder: string, ...args: string[]) =>
    client.try('', ...(folder === '' ? [] : ['-C', folder]), '-c', `protocol.version=${version}`, ...args);
  const commands: Readonly<Record<string, (...args: string[]) => Promise<GitAnswer>>> = {
    clone: (url = '', folder = '', depth = '0', filter = '-') =>
      git(
        '',
        'clone',
        '-q',
        ...(depth === '0' ? [] : ['--depth', depth]),
        ...(filter === '-' ? [] : [`--filter=${filter}`, '--no-checkout']),
        url,
        folder,
      ),
    async commit(folder = '', file = '', text = '') {
      const out = await client.commit(path.relative(client.home, folder), { [file]: text });
      return { code: 0, out, err: '' };
    },
    tag: (folder = '', name = '') => git(folder, 'tag', '-a', name, '-m', 'tag'),
    push: (folder = '', url = '', source = '', target = '', force = '0') =>
      git(folder, 'push', ...(force === '1' ? ['--force'] : []), url, `${source}:${target}`),
    async fetch(folder = '', url = '', ref = '') {
      const fetched = await git(folder, 'fetch', '-q', url, ref);
      return fetched.code === 0 ? git(folder, 'rev-parse', 'FETCH_HEAD') : fetched;
    },
    list: (url = '') => git('', 'ls-remote', url),
    head: (folder = '') => git(folder, 'rev-parse', 'HEAD'),
    count: (folder = '') => git(folder, 'rev-list', '--count', 'HEAD'),
  };
  return {
    name: `git with protocol ${version}`,
    isPartial: true,
    run: (command = '', ...args) => commands[command]?.(...args) ?? Promise.reject(new Error(command)),
  };
}
