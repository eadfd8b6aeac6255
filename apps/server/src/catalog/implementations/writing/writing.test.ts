import { readlink, symlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Implementation, Service } from '@kethub/contract';
import { isBuilt } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { GitClient, gitTokenOf } from '../../../testing/git-client.ts';
import { leftoversIn, repositoryOf, requireWhole } from '../../../testing/git-raw.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';
import { zip } from '../../../testing/zip.ts';

const PROGRAM = 'def run(data, params):\n    return {"answer": 42}\n';

describe.each(databases())('commits without Git on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let token: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_REPOSITORY_FILE_MB: '1' });
    client = await GitClient.open();
    token = await gitTokenOf(kethub.client);
  });
  afterAll(async () => {
    await client.close();
    await kethub.close();
  });

  const create = (name: string) => kethub.client.createImplementation({ json: { name } });
  const send = (of: Implementation, path: string, body: FormData | string, headers: Record<string, string> = {}) =>
    fetch(`${kethub.platform.addresses.api}/-/implementations/${of.id}${path}`, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${kethub.loginSession}`,
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
  const form = (parts: readonly (readonly [name: string, value: string | Blob, file?: string])[]) => {
    const made = new FormData();
    for (const [name, value, file] of parts)
      if (typeof value === 'string') made.append(name, value);
      else made.append(name, value, file);
    return made;
  };
  const file = (path: string, content = 'x') => ['files', new Blob([content]), path] as const;
  const commit = async (of: Implementation, parts: Parameters<typeof form>[0], headers?: Record<string, string>) => {
    const answer = await send(of, '/commits', form(parts), headers);
    return { status: answer.status, body: (await answer.json()) as { commit: string; detail?: string } };
  };
  const clone = async (of: Implementation, folder: string) => {
    await client.run('', 'clone', '-q', of.cloneUrl.replace('://', `://x:${token}@`), folder);
    return client.run(folder, 'ls-files', '-s');
  };

  test('files, removal and a whole ZIP follow each other, and Git reads them', async () => {
    const made = await create('files');
    const first = await commit(made, [['message', 'One'], file('src/program.py', PROGRAM), file('old.txt')]);
    expect(first.status).toBe(201);
    const read = await kethub.client.getImplementation({ implementationId: made.id });
    expect(read).toMatchObject({ head: first.body.commit, buildable: 'PYTHON_TEMPLATE' });
    const second = await commit(made, [['remove', 'old.txt'], file('new/a b.txt')], {
      'if-match': `"${first.body.commit}"`,
    });
    expect(second.status).toBe(201);
    expect((await commit(made, [file('c.txt')], { 'if-match': `"${first.body.commit}"` })).status).toBe(412);
    expect((await commit(made, [file('new/a b.txt')])).status).toBe(409);
    expect(await clone(made, 'two')).toMatch(/new\/a b\.txt\n.*src\/program\.py$/s);
    expect(await client.run('two', 'log', '-1', '--format=%an %ae')).toMatch(/^ada Test .+@users\.noreply\./);
    const archive = await zip({ 'src/program.py': PROGRAM, 'run.sh': '#!/bin/sh\n' }, ['run.sh']);
    expect(
      (
        await commit(made, [
          ['branch', 'feature/zip'],
          ['archive', archive, 'a.zip'],
        ])
      ).status,
    ).toBe(201);
    await client.run('two', 'fetch', '-q');
    expect(await client.run('two', 'ls-tree', '-r', 'origin/feature/zip')).toMatch(/100755 blob .*run\.sh\n.*program/);
    await client.run('two', 'fsck', '--strict');
    const pushes = await kethub.client.readAuditLog({ resourceId: made.id, action: 'implementation:pushed' });
    expect(pushes.toReversed().map(({ detail }) => detail)).toMatchObject([
      { changes: 1, refs: [{ ref: 'refs/heads/main', from: null, to: first.body.commit }] },
      { changes: 1, refs: [{ ref: 'refs/heads/main', from: first.body.commit, to: second.body.commit }] },
      { changes: 1, refs: [{ ref: 'refs/heads/feature/zip', from: null }] },
    ]);
  });

  test.each([
    [[file('../x')], 400],
    [[file('.git/config')], 400],
    [[file('a/.GIT/hooks/x')], 400],
    [[file('a\\b')], 400],
    [[file('/etc/x')], 400],
    [[file('a'), file('a')], 400],
    [[file('a'), file('a/b')], 400],
    [[['message', '  '], file('a')], 400],
    [[['branch', '-x'], file('a')], 400],
    [[['unknown', 'x'], file('a')], 400],
    [[['message', 'nothing']], 400],
    [[['archive', new Blob(['no zip']), 'a.zip']], 400],
    [[file('large', 'x'.repeat(1024 * 1024 + 1))], 413],
  ] as const)('refuses %j with %i and keeps nothing', async (parts, status) => {
    const made = await create(kethub.platform.newId());
    expect((await commit(made, parts)).status).toBe(status);
    const { head } = await kethub.client.getImplementation({ implementationId: made.id });
    expect(head).toBeNull();
  });

  test('what is replaced or renamed stays executable, or a link', async () => {
    const made = await create('modes');
    const url = made.cloneUrl.replace('://', `://x:${token}@`);
    await client.commit('modes', { 'run.sh': '#!/bin/sh\n', 'go.sh': '#!/bin/sh\ngo\n', 'a.txt': 'a' }, 'one');
    await client.run('modes', 'update-index', '--chmod=+x', 'run.sh', 'go.sh');
    for (const link of ['link', 'text'])
      await symlink('a.txt', client.at('modes', link)).then(() => client.run('modes', 'add', link));
    await client.run('modes', 'commit', '-q', '-m', 'executable');
    await client.run('modes', 'push', '-q', url, 'HEAD:main');
    const modes = async (folder: string) =>
      (await clone(made, folder)).split('\n').map((line) => line.replace(/ .*\t/, ' '));
    const replaced = [file('run.sh', '#!/bin/sh\necho\n'), file('a.txt', 'b'), file('link', 'run.sh')];
    expect((await commit(made, [...replaced, file('text', 'two\nlines')])).status).toBe(201);
    const kept = ['100644 a.txt', '100755 go.sh', '120000 link', '100755 run.sh', '100644 text'];
    expect(await modes('modes-replaced')).toEqual(kept);
    expect(await readlink(client.at('modes-replaced', 'link'))).toBe('run.sh');
    // One file that is renamed and changed, and two that are only renamed, as their content says.
    expect((await commit(made, [['remove', 'run.sh'], file('start.sh', 'other')])).status).toBe(201);
    const two = [
      ['remove', 'go.sh'],
      ['remove', 'link'],
      file('to', 'run.sh'),
      file('went.sh', '#!/bin/sh\ngo\n'),
    ] as const;
    expect((await commit(made, two)).status).toBe(201);
    expect((await commit(made, [['remove', 'start.sh'], file('a.txt', 'c'), file('plain', 'p')])).status).toBe(201);
    expect(await modes('modes-renamed')).toEqual([
      '100644 a.txt',
      '100644 plain',
      '100644 text',
      '120000 to',
      '100755 went.sh',
    ]);
  });

  test('a .gitmodules that a push would refuse is refused, and leaves nothing', async () => {
    const made = await create('submodules');
    const url = made.cloneUrl.replace('://', `://x:${token}@`);
    const modules = (address: string) => `[submodule "x"]\n\tpath = x\n\turl = ${address}\n`;
    await client.commit('submodules', { 'known.txt': modules('--upload-pack=touch x') });
    await symlink('known.txt', client.at('submodules', 'link'));
    await client.run('submodules', 'add', 'link');
    await client.run('submodules', 'commit', '-q', '-m', 'link');
    await client.run('submodules', 'push', '-q', url, 'HEAD:main');
    const zipped = await zip({ '.gitmodules': modules('-x') });
    for (const [parts, reason] of [
      [[file('.gitmodules', modules('--upload-pack=touch y'))], 'gitmodulesUrl'],
      // Its content is in the repository already, under a harmless name.
      [[file('.gitmodules', modules('--upload-pack=touch x'))], 'gitmodulesUrl'],
      [[['archive', zipped, 'a.zip']], 'gitmodulesUrl'],
      [[['remove', 'link'], file('.gitmodules', 'known.txt')], '.gitmodules'],
      [[file('.g\u200cit/config')], 'hasDotgit'],
      [[file('.git::$INDEX_ALLOCATION/config')], 'INDEX_ALLOCATION'],
    ] as const) {
      const { status, body } = await commit(made, parts);
      expect([status, body.detail]).toEqual([400, expect.stringContaining(reason)]);
    }
    const repository = repositoryOf(kethub, made);
    while ((await leftoversIn(repository)).length > 0) await pause(20);
    const tip = await client.run('submodules', 'rev-parse', 'HEAD');
    expect(await kethub.client.getImplementation({ implementationId: made.id })).toMatchObject({ head: tip });
    const harmless = await commit(made, [file('.gitmodules', modules('https://example.org/x'))]);
    expect(harmless.status).toBe(201);
    await requireWhole(client, repository);
  });

  test('of two commits at once one is made, and the other is refused', async () => {
    const made = await create('race');
    const base = await commit(made, [file('base')]);
    const match = { 'if-match': `"${base.body.commit}"` };
    const statuses = await Promise.all(
      ['a', 'b'].map(async (name) => (await commit(made, [file(name)], match)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([201, 412]));
  });

  test('a service is made of a commit and names it', async () => {
    const made = await create('solver');
    expect((await send(made, '/services', '{}')).status).toBe(404);
    const readme = await commit(made, [file('README.md')]);
    const refused = await send(made, '/services', '{}');
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('nothing-to-build')]);
    const { body } = await commit(made, [file('src/__init__.py', ''), file('src/program.py', PROGRAM)]);
    expect(readme.status).toBe(201);
    const answer = await send(made, '/services', '{}');
    expect(answer.status).toBe(201);
    const service = (await answer.json()) as Service;
    expect(service).toMatchObject({ name: 'solver', type: 'MANAGED' });
    const origin = { implementationId: made.id, ref: 'main', commit: body.commit };
    expect(service.versions[0]).toMatchObject({ version: '1.0.0', state: 'DRAFT', origin });
    for await (const build of kethub.client.watchBuild({ serviceId: service.id, version: '1.0.0' }))
      if (isBuilt(build)) expect(build).toMatchObject({ status: 'SUCCEEDED' });
    const path = { serviceId: service.id, version: '1.0.0' };
    expect(await kethub.client.getServiceVersion(path)).toMatchObject({ origin });
  });
});
