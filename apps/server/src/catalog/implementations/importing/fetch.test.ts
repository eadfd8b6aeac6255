import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { EgressProxies } from '@kethub/runtime/egress';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNameServer, type NameServer } from '../../../../../../packages/runtime/src/testing/name-server.ts';
import { startGitHttpsServer, type GitHttpsServer } from '../../../testing/git-https.ts';
import { canSandbox } from '../git/check.ts';
import { Git } from '../git/git.ts';
import { fetchFrom } from './fetch.ts';

const NAME = 'rebinding.test';

let origin: GitHttpsServer;
let names: NameServer;
let folder: string;
let proxies: EgressProxies;
let git: Git;
/** Addresses that the name has, one look-up after the other; the last one stays. */
let answers: string[] = [];

beforeAll(async () => {
  origin = await startGitHttpsServer([NAME]);
  names = await startNameServer({
    // Each look-up asks for IPv4 and IPv6; only the former takes an answer.
    get [NAME]() {
      return answers[0] ?? '';
    },
  });
  folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-fetch-'));
  chmodSync(folder, 0o711);
  proxies = new EgressProxies(path.join(folder, 'proxies'), null, (dir) => dir, [names.address]);
  proxies.allow(['127.0.0.1']);
  const repository = path.join(origin.root, 'a.git');
  execFileSync('git', ['init', '-q', '--bare', '--initial-branch=main', repository]);
  const tree = execFileSync('git', ['mktree'], { cwd: repository, input: '' }).toString().trim();
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  const commit = execFileSync('git', [...author, 'commit-tree', tree, '-m', 'a'], { cwd: repository });
  execFileSync('git', ['update-ref', 'refs/heads/main', commit.toString().trim()], { cwd: repository });
  const hooks = path.join(folder, 'hooks');
  mkdirSync(hooks);
  git = new Git({ sandboxed: canSandbox(), hooks, pushBytes: 1e9, fileBytes: 1e9 });
});
afterAll(async () => {
  await git.close();
  proxies.close();
  names.close();
  rmSync(folder, { recursive: true });
  await origin.close();
});

function emptyRepository(name: string): string {
  const repository = path.join(folder, name);
  execFileSync('git', ['init', '-q', '--bare', repository]);
  return repository;
}

const fetchInto = (repository: string): Promise<string | null> =>
  fetchFrom(
    { git, proxies, certificates: origin.authority },
    repository,
    { url: `https://${NAME}:${origin.port}/a.git`, credential: null, bytes: 1e8, milliseconds: 60_000 },
    new AbortController().signal,
    () => undefined,
  );

test('a name with an open address is reached', async () => {
  answers = ['127.0.0.1'];
  expect(await fetchInto(emptyRepository('open.git'))).toBe('main');
});

test('a name that is bound to another address after the first look-up is refused there', async () => {
  const reached: string[] = [];
  // The same port at an address that is not open: whoever follows the second answer arrives here.
  const inside = net.createServer((socket) => {
    reached.push(socket.localAddress ?? '');
    socket.destroy();
  });
  await new Promise<void>((resolve) => inside.listen(origin.port, '127.0.0.2', resolve));
  answers = ['127.0.0.1'];
  origin.intercept = () => {
    answers = ['127.0.0.2'];
    return false;
  };
  await expect(fetchInto(emptyRepository('bound.git'))).rejects.toThrow('private network');
  expect(names.asked.length).toBeGreaterThan(2);
  expect(reached).toEqual([]);
  await new Promise((resolve) => inside.close(resolve));
});

test('a name of a private address is refused', async () => {
  for (const address of ['10.0.0.1', '169.254.169.254', '127.0.0.2']) {
    answers = [address];
    await expect(fetchInto(emptyRepository(`${address}.git`))).rejects.toThrow('private network');
  }
});
