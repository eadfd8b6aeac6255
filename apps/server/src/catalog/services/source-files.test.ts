import { workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { build, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { asFile, bpmn, start } from '../../testing/workflows.ts';

const [kind] = databases();
const PROGRAM = 'def run(data=0):\n    return data\n';
const FILES = {
  'src/__init__.py': '',
  'src/program.py': PROGRAM,
  'input/data.json': '1',
  'page.html': '<script>alert(1)</script>',
  'large.bin': '\0'.repeat(3_000_000),
};

describe('the files of a source', () => {
  let kethub: TestKethub;
  let at: { readonly serviceId: string; readonly version: string };

  beforeAll(async () => {
    if (!kind) throw new Error('This file runs on one database');
    kethub = await startTestKethub(kind);
    const { service } = await build(kethub.client, 'Source', FILES);
    at = { serviceId: service.id, version: '1.0.0' };
  });
  afterAll(() => kethub.close());
  const read = (path: string) => kethub.client.readSourceFile.response({ ...at, path });

  test('are listed by their paths with their sizes', async () => {
    const files = await kethub.client.listSourceFiles(at);
    expect(files.map(({ path }) => path)).toEqual(Object.keys(FILES).toSorted());
    expect(files.find(({ path }) => path === 'src/program.py')?.bytes).toBe(PROGRAM.length);
  });

  test('are read one by one, as text that no browser runs', async () => {
    const program = await read('src/program.py');
    expect(await program.text()).toBe(PROGRAM);
    const page = await read('page.html');
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain('sandbox');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const large = await read('large.bin');
    expect(large.headers.get('content-type')).toBe('application/octet-stream');
    expect((await large.arrayBuffer()).byteLength).toBe(3_000_000);
    const headers = { 'if-none-match': program.headers.get('etag') ?? '' };
    const again = await kethub.client.readSourceFile.response({ ...at, path: 'src/program.py', headers });
    expect(again.status).toBe(304);
  });

  test.each(['none.py', '../src/program.py', 'src', '/src/program.py', 'src/program.py\0', 'a'.repeat(4_000)])(
    '%j is no file of it',
    async (path) => {
      await expect(read(path)).rejects.toMatchObject({ status: expect.toSatisfy((one) => one === 404 || one === 400) });
    },
  );

  test('of a workflow are its one file', async () => {
    const source = asFile(bpmn.file([start(), bpmn.end('end'), bpmn.chain('start', 'end')]));
    const { id: serviceId } = await kethub.client.createService({ body: workflowForm({ name: 'Flow', source }) });
    const [file, ...others] = await kethub.client.listSourceFiles({ serviceId, version: '1.0.0' });
    expect(others).toEqual([]);
    const path = file?.path ?? '';
    const response = await kethub.client.readSourceFile({ serviceId, version: '1.0.0', path });
    expect(await response.text()).toContain('<process id=');
  });

  test('of a damaged ZIP are refused in words', async () => {
    const bytes = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), Buffer.alloc(100, 7)]);
    const body = new FormData();
    body.set('name', 'Damaged');
    body.set('source', new Blob([bytes]), 'source.zip');
    const { id: serviceId } = await kethub.client.createService({ body });
    const listed = kethub.client.listSourceFiles({ serviceId, version: '1.0.0' });
    await expect(listed).rejects.toMatchObject({ code: 'invalid-archive' });
  });

  test('are for their owner alone', async () => {
    const { client } = await kethub.signIn('grace');
    await expect(client.listSourceFiles(at)).rejects.toMatchObject({ status: 404 });
    await expect(client.readSourceFile({ ...at, path: 'src/program.py' })).rejects.toMatchObject({ status: 404 });
  });
});
