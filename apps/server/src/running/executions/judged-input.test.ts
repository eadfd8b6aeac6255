import type { ServiceParameter } from '@kethub/contract';
import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, member, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';

const program = `
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

from kethub.secret import SecretValue


class Ge:
    def __init__(self, ge):
        self.ge = ge


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Edge:
    """An edge.

    Attributes:
        source: Name of the node where it
            begins.
    """

    source: str
    weight: float = field(default=1.0, metadata={"title": "Weight", "examples": [0.5]})


@dataclass
class Params:
    shots: Annotated[int, Ge(1), "Number of shots"] = 100
    color: Color = Color.RED


def run(edges: list[Edge], params: Params, seed: int = None, token: SecretValue = None):
    """Counts.

    Args:
        edges: The graph.
    """
    return {"edges": len(edges), "shots": params.shots, "color": params.color.name}
`;

describe.each(databases())('the input of a service whose parameters have types, on $name', (kind) => {
  let kethub: TestKethub;
  let deployed: DeployedService;
  let application: Caller;
  let parameters: readonly Static<typeof ServiceParameter>[];

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    deployed = await deploy(kethub.client, 'Typed', { 'src/__init__.py': '', 'src/program.py': program });
    application = await callerOf(deployed);
    const read = await kethub.client.getServiceVersion({ serviceId: deployed.service.id, version: '1.0.0' });
    parameters = read.parameters ?? [];
  });
  afterAll(() => kethub.close());

  test('has schemas with defaults, titles, descriptions, bounds and examples', () => {
    expect(parameters.map(({ name, required, accepts }) => [name, required, accepts])).toEqual([
      ['edges', true, 'STRICT'],
      ['params', false, 'STRICT'],
      ['seed', false, 'STRICT'],
      ['token', false, 'NONE'],
    ]);
    const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    expect(schemas['edges']).toMatchObject({
      description: 'The graph.',
      $defs: {
        Edge: {
          description: 'An edge.',
          required: ['source'],
          properties: {
            source: { type: 'string', description: 'Name of the node where it begins.' },
            weight: { type: 'number', title: 'Weight', default: 1, examples: [0.5] },
          },
        },
      },
    });
    expect(schemas['params']).toMatchObject({
      $defs: {
        Params: {
          properties: {
            shots: { minimum: 1, default: 100, description: 'Number of shots' },
            color: { default: 'red' },
          },
        },
      },
    });
    expect(schemas['seed']).toEqual({ type: 'integer', default: null });
  });

  const wrong = { edges: [{ weight: 'heavy' }], params: { shots: 0, color: 'green' } };
  const pointers = ['/edges/0/source', '/edges/0/weight', '/params/shots', '/params/color'];

  test('is refused with a pointer to every error, on both interfaces', async () => {
    const executions = await application.request('POST', '/', { body: JSON.stringify(wrong) });
    const job = kethub.client.startJob({ serviceId: deployed.service.id, json: wrong });
    const refusal: unknown = await job.catch((error: unknown) => error);
    const errors = (executions.body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer);
    expect([executions.status, errors]).toEqual([400, pointers]);
    expect(refusal).toMatchObject({
      status: 400,
      errors: pointers.map((pointer) => ({ pointer, detail: expect.any(String) as string })),
    });
  });

  test('is refused without what run() cannot do without', async () => {
    const { status, body } = await application.request('POST', '/', { body: '{}' });
    expect([status, member(body, 'detail')]).toEqual([400, expect.stringContaining('`edges` is missing')]);
  });

  test('may be all that run() takes: names of members of an enum, null for a default of None', async () => {
    const json = { edges: [{ source: 'a' }], params: { color: 'BLUE' }, seed: null };
    const answer = { edges: 1, shots: 100, color: 'BLUE' };
    const { id } = await kethub.client.startJob({
      serviceId: deployed.service.id,
      json,
      headers: { prefer: 'wait=60' },
    });
    expect(await kethub.client.getOwnedResult({ executionId: id })).toMatchObject(answer);
  });
});
