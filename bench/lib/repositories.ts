import { spawn } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { finished } from 'node:stream/promises';

/** Bare repositories whose every byte follows from the numbers here. */

const LARGE_FILES = 250;
const LARGE_BYTES = 2 * 1024 * 1024;
const COMMITS = 5_000;
const FOLDERS = 200;
const FILES_OF_FOLDER = 100;
const PERSON = 'Ada <ada@example.org> 1700000000 +0000';

/** Text for readers of the results. */
export const repositories = {
  large: `${LARGE_FILES} files of 2 MiB that cannot be compressed`,
  many: `${COMMITS.toLocaleString('en-US')} commits and ${(FOLDERS * FILES_OF_FOLDER).toLocaleString('en-US')} files`,
} as const;
export type RepositoryName = keyof typeof repositories;

/** A file of the repository with many. */
export function pathOf(number: number): string {
  const file = number % (FOLDERS * FILES_OF_FOLDER);
  return `folder-${Math.floor(file / FILES_OF_FOLDER)}/file-${file % FILES_OF_FOLDER}.txt`;
}

export const folders = Array.from({ length: FOLDERS }, (_, number) => `folder-${number}`);

/** Makes a repository in a folder, with its branch main. Returns its path. */
export async function makeRepository(folder: string, name: RepositoryName): Promise<string> {
  const repository = path.join(folder, `${name}.git`);
  await git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', repository);
  const importer = spawn('git', ['fast-import', '--quiet'], { cwd: repository, stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(importer, 'exit');
  for (const part of name === 'large' ? largeCommit() : manyCommits())
    if (!importer.stdin.write(part)) await once(importer.stdin, 'drain');
  importer.stdin.end();
  await finished(importer.stdin);
  const [code] = (await ended) as [number];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  await git(repository, 'repack', '-q', '-a', '-d', '-b');
  return repository;
}

function* largeCommit(): Generator<string | Buffer> {
  yield commit('large');
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
  const zeros = Buffer.alloc(LARGE_BYTES);
  for (let file = 0; file < LARGE_FILES; file++) {
    yield `M 100644 inline noise-${file}.bin\ndata ${LARGE_BYTES}\n`;
    yield noise.update(zeros);
    yield '\n';
  }
}

function* manyCommits(): Generator<string> {
  yield commit('first');
  for (let file = 0; file < FOLDERS * FILES_OF_FOLDER; file++) yield change(file, 0);
  // 7,919 is a prime, so that changes spread over all files.
  for (let number = 1; number < COMMITS; number++) yield commit(`change ${number}`) + change(number * 7_919, number);
}

function commit(message: string): string {
  return `commit refs/heads/main\ncommitter ${PERSON}\ndata ${Buffer.byteLength(message)}\n${message}\n`;
}

function change(file: number, round: number): string {
  const text = `${Array.from({ length: 40 }, (_, line) => `line ${line} of ${file}: ${(file + 1) * (line + 7)}`).join('\n')}\nround ${round}\n`;
  return `M 100644 inline ${pathOf(file)}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
}

/** Runs Git as a client, without any settings of the machine. Throws when it fails. */
export async function git(cwd: string, ...args: string[]): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const child = spawn('git', args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}: ${said}`);
}
