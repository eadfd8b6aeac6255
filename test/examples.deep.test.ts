import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '@kethub/server/testing/databases';
import { callerOf } from '@kethub/server/testing/gateway';
import { deploy, startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import { deployWorkflow } from '@kethub/server/testing/workflows';
import { pictureOf } from '../script/bpmn-picture.ts';

const examples = path.resolve(import.meta.dirname, '../examples');

interface Graph {
  readonly nodes: readonly string[];
  readonly edges: readonly { readonly source: string; readonly target: string; readonly weight: number }[];
}

let platform: TestKethub;
beforeAll(async () => {
  platform = await startTestKethub(sqlite);
});
afterAll(() => platform.close());

const input = (example: string, name: string): unknown =>
  JSON.parse(readFileSync(path.join(examples, example, 'input', `${name}.json`), 'utf8'));
// The services check their input, and refuse anything that is no graph.
const graph = input('maxcut', 'data') as Graph;

test('both examples solve the same graph', () => {
  expect(input('qaoa', 'data')).toEqual(graph);
});

describe.each(['maxcut', 'qaoa'])('examples/%s', (example) => {
  test(
    'is deployed, runs, and finds the best cut there is, with a picture and a log',
    { timeout: 600_000 },
    async () => {
      const app = await callerOf(await deploy(platform.client, example, filesOf(path.join(examples, example))));
      const { id, status } = await app.finish({ data: graph, params: input(example, 'params') });
      const answer = await app.request('GET', `/${id}/result`);
      expect([status, answer.body]).toEqual(['SUCCEEDED', expect.objectContaining({ cutValue: bestCut(graph) })]);
      // The assertion above has checked its members.
      const { partition, _links: links } = answer.body as {
        partition: { left: string[]; right: string[] };
        _links: Record<string, unknown>;
      };
      expect(cutOf(graph, new Set(partition.left))).toBe(bestCut(graph));
      expect([...partition.left, ...partition.right].toSorted()).toEqual([...graph.nodes].toSorted());
      const pictures = Object.keys(links).filter((name) => name.endsWith('.svg'));
      expect(pictures.length).toBeGreaterThan(0);
      for (const name of pictures) {
        const picture = await app.request('GET', `/${id}/result/${name}`);
        expect(picture.headers.get('content-type')).toBe('image/svg+xml');
        expect(picture.text).toMatch(/^<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"[\s\S]*<\/svg>\s*$/);
      }
      const log = await app.request('GET', `/${id}/log`);
      expect((log.body as unknown[]).length).toBeGreaterThan(5);
    },
  );

  test.each([
    ['no data', {}],
    ['a graph without nodes', { data: { nodes: [], edges: [] } }],
    ['an edge to nowhere', { data: { nodes: ['a', 'b'], edges: [{ source: 'a', target: 'z', weight: 1 }] } }],
    ['a weight that is none', { data: { nodes: ['a', 'b'], edges: [{ source: 'a', target: 'b', weight: 'x' }] } }],
  ])('says what is wrong with %s', async (_what, wrong) => {
    const { client } = platform;
    const service = (await client.listServices()).find(({ name }) => name === example);
    const application = (await client.listApplications()).find(({ name }) => name === `${example} caller`);
    const [key] = application?.accessKeys ?? [];
    if (!service || !application || !key) throw new Error(`${example} was not deployed`);
    const [subscription] = await client.listSubscriptions({ applicationId: application.id });
    if (!subscription) throw new Error(`${example} has no subscriber`);
    const app = await callerOf({
      service,
      application,
      subscription,
      endpoint: subscription.endpoint.replace(/\/$/, ''),
      accessKeyId: key.accessKeyId,
      secretAccessKey: (await client.revealSecretAccessKey({ applicationId: application.id, keyId: key.id }))
        .secretAccessKey,
    });
    const started = await app.request('POST', '/', {
      body: JSON.stringify({ params: {}, ...wrong }),
      headers: { 'content-type': 'application/json', prefer: 'wait=60' },
    });
    // An input that does not fit the types of the code does not start; the code itself refuses the others.
    if (started.status === 400) {
      const { errors } = started.body as { errors: { pointer: string }[] };
      expect(errors.map(({ pointer }) => pointer.split('/')[1])).toContain('data');
      return;
    }
    const { id, status } = started.body as { id: string; status: string };
    expect(status).toBe('FAILED');
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ detail: expect.stringMatching(/data/) });
  });
});

function filesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file), readFileSync(file, 'utf8')];
    }),
  );
}

function cutOf({ edges }: Graph, left: ReadonlySet<string>): number {
  return edges.reduce(
    (sum, { source, target, weight }) => sum + (left.has(source) === left.has(target) ? 0 : weight),
    0,
  );
}

/** Tries every partition. */
function bestCut(whole: Graph): number {
  let best = 0;
  for (let sides = 0; sides < 2 ** (whole.nodes.length - 1); sides++) {
    best = Math.max(best, cutOf(whole, new Set(whole.nodes.filter((_node, index) => (sides >> index) & 1))));
  }
  return best;
}

describe('workflows', () => {
  const names = ['workflow-sequential', 'workflow-parallel'];

  /** Replaces names by ids, as `ket up` deploys it. */
  async function deployed(example: string) {
    const folder = path.join(examples, example);
    const manifest = JSON.parse(readFileSync(path.join(folder, 'kethub.json'), 'utf8')) as {
      name: string;
      workflow: string;
      services: Record<string, string>;
    };
    const own = await platform.client.listServices();
    const found =
      own.find(({ name }) => name === 'maxcut') ??
      (await deploy(platform.client, 'maxcut', filesOf(path.join(examples, 'maxcut')))).service;
    const [placeholder = ''] = Object.keys(manifest.services);
    const xml = readFileSync(path.join(folder, manifest.workflow), 'utf8').replaceAll(placeholder, found.id);
    return callerOf(await deployWorkflow(platform.client, manifest.name, xml, [found]));
  }

  test('examples/workflow-sequential looks quickly, and thoroughly when that is not good enough', async () => {
    const app = await deployed('workflow-sequential');
    const graph = input('workflow-sequential', 'graph');
    const easy = await app.finish({ graph, wanted: 0 });
    expect((await app.request('GET', `/${easy.id}/result`)).body).toMatchObject({ how: 'quick' });
    const hard = await app.finish({ graph, wanted: input('workflow-sequential', 'wanted') });
    const { body } = await app.request('GET', `/${hard.id}/result`);
    expect([hard.status, body]).toEqual([
      'SUCCEEDED',
      expect.objectContaining({ how: 'thorough', answer: expect.objectContaining({ cutValue: 8 }) }),
    ]);
  });

  test('examples/workflow-parallel cuts all graphs, whatever becomes of one of them', async () => {
    const app = await deployed('workflow-parallel');
    const { id, status } = await app.finish({ graphs: input('workflow-parallel', 'graphs') });
    const { body } = await app.request('GET', `/${id}/result`);
    expect([status, body]).toEqual([
      'SUCCEEDED',
      expect.objectContaining({
        solved: 2,
        failed: 1,
        total: 14,
        results: [
          expect.objectContaining({ number: 1, cutValue: 6 }),
          { number: 2, problem: expect.stringContaining('elsewhere') },
          expect.objectContaining({ number: 3, cutValue: 8 }),
        ],
      }),
    ]);
  });

  test.each(names)('the picture of examples/%s is that of its diagram', async (example) => {
    const folder = path.join(examples, example);
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.bpmn'));
    const picture = await pictureOf(readFileSync(path.join(folder, file), 'utf8'));
    expect(readFileSync(path.join(folder, file.replace('.bpmn', '.svg')), 'utf8')).toBe(picture);
  });
});
