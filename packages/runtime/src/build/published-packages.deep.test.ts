import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBuilds, type Builds } from '../testing/builds.ts';

// Packages from PyPI that services of today use, with their dependencies.

let builds: Builds;
beforeAll(async () => {
  builds = await openBuilds();
});
afterAll(() => builds.close());

test('Pydantic models of the service bind, and their errors name the pointer', async () => {
  const outcome = await builds.build({
    'src/program.py': `
from pydantic import BaseModel, Field


class Params(BaseModel):
    """Options.

    Attributes:
        shots: How often it is measured.
    """
    shots: int = Field(default=100, ge=1)


class Data(BaseModel):
    edges: list[tuple[str, str, float]]


def run(data: Data, params: Params):
    return {"edges": len(data.edges), "shots": params.shots, "type": type(params).__name__}
`,
    'requirements.txt': 'pydantic==2.12.5\n',
  });
  const described = { description: 'How often it is measured.', default: 100, minimum: 1 };
  expect(outcome).toMatchObject({
    built: { parameters: [{}, { schema: { properties: { shots: described } } }] },
  });
  const service = builds.codeOf(outcome);
  expect(await builds.bench.result(service, { input: { data: { edges: [['a', 'b', 1]] } } })).toEqual({
    edges: 1,
    shots: 100,
    type: 'Params',
  });
  const end = await builds.bench.run(service, {
    input: { data: { edges: [['a', 'b', 'heavy']] }, params: { shots: 0 } },
  });
  expect([end.outcome, end.cause?.detail]).toEqual(['FAILED', expect.stringMatching(/data\W+edges\W+0\W+2/)]);
});

test("code that names the types of the library qhub-commons gets that library's own", async () => {
  const outcome = await builds.build({
    'src/program.py': `
from qhub.commons.datapool import DataPool
from qhub.commons.secret import SecretValue


def run(data, token: SecretValue, pool: DataPool):
    with pool.open("graph.txt") as file:
        text = file.read()
    return {"modules": [type(token).__module__, type(pool).__module__], "secret": [str(token), token.unwrap()], "text": text}
`,
    'requirements.txt': 'qhub-commons==1.2.2\n',
  });
  const pool = builds.codeOf(
    await builds.build({ 'src/program.py': 'def run():\n    return 1\n', 'graph.txt': 'a b 1' }),
  ).sourceDir;
  const result = await builds.bench.result(builds.codeOf(outcome), {
    input: { data: 1 },
    secrets: { token: 'open sesame' },
    dataPools: [{ parameter: 'pool', path: pool, writable: false }],
  });
  expect(result).toEqual({
    modules: [expect.stringMatching(/^qhub\.commons/), expect.stringMatching(/^qhub\.commons/)],
    secret: ['[redacted]', 'open sesame'],
    text: 'a b 1',
  });
});
