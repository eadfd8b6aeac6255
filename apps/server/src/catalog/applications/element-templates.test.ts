import { validateZeebe } from '@bpmn-io/element-templates-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '../../testing/databases.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { bpmn, deployWorkflow, start } from '../../testing/workflows.ts';

const program = `
from typing import TypedDict

class Doubled(TypedDict):
    doubled: int

def run(data: int, params: dict | None = None) -> Doubled:
    return {"doubled": data * 2}
`;

interface Property {
  readonly value?: string;
  readonly optional?: boolean;
  readonly binding: { readonly type: string; readonly name?: string; readonly key?: string; readonly source?: string };
}

let platform: TestKethub;
let worker: DeployedService;
beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  worker = await deploy(platform.client, 'Doubler', { 'src/__init__.py': '', 'src/program.py': program });
});
afterAll(() => platform.close());

test('a task made of a template runs', async () => {
  const { client } = platform;
  const [template] = await client.listElementTemplates({ applicationId: worker.application.id });
  expect(template).toMatchObject({
    name: 'Doubler',
    id: `kethub:service:${worker.service.id}`,
    version: 1_000_000,
    elementType: { value: 'bpmn:ServiceTask' },
  });
  // The elements that Camunda's modeler writes for these bindings.
  const xmlOf: Record<string, (one: Property) => string> = {
    'zeebe:taskDefinition': ({ value }) => `<zeebe:taskDefinition type="${value}"/>`,
    'zeebe:taskHeader': ({ binding, value }) =>
      `<zeebe:taskHeaders><zeebe:header key="${binding.key}" value="${value}"/></zeebe:taskHeaders>`,
    'zeebe:input': ({ binding, value }) => `<zeebe:input source="${value}" target="${binding.name}"/>`,
    'zeebe:output': ({ binding, value }) => `<zeebe:output source="${binding.source}" target="${value}"/>`,
  };
  const parts = ((template?.properties ?? []) as unknown as Property[])
    .filter(({ optional }) => optional !== true)
    .map((one) => ({ kind: one.binding.type, xml: xmlOf[one.binding.type]?.(one) ?? '' }));
  const mapping = parts.filter(({ kind }) => kind === 'zeebe:input' || kind === 'zeebe:output').map(({ xml }) => xml);
  const others = parts.filter(({ kind }) => kind !== 'zeebe:input' && kind !== 'zeebe:output').map(({ xml }) => xml);
  const xml = bpmn.file([
    start(),
    `<serviceTask id="task"><extensionElements>${others.join('')}<zeebe:ioMapping>${mapping.join('')}</zeebe:ioMapping></extensionElements></serviceTask>`,
    bpmn.end('end', { answer: '=result.doubled' }),
    bpmn.chain('start', 'task', 'end'),
  ]);
  const { service } = await deployWorkflow(client, 'Templated', xml, [worker.service]);
  const { id } = await client.startJob({
    serviceId: service.id,
    json: { data: 21 },
    headers: { prefer: 'wait=60' },
  });
  expect(await client.getOwnedResult({ executionId: id })).toMatchObject({ answer: 42 });
});

/** Parameters whose names and descriptions are no words. */
const odd = `
from typing import Annotated
from kethub.secret import SecretValue

def run(data, größe: int, _private: list[float] = [], in_: str = "", token: SecretValue = None):
    ${'"'.repeat(3)}<b>Odd</b> "quotes" & {braces} ${'long '.repeat(300)}${'"'.repeat(3)}
    return {"in": 1, "größe": größe, "a b": 2}
`;

test("the schema of Camunda's modeler accepts every template", async () => {
  const { client } = platform;
  const { service } = await deploy(client, '<i>"Odd"</i> & more', { 'src/__init__.py': '', 'src/program.py': odd });
  const { service: bare } = await deploy(client, 'Bare', {
    'src/__init__.py': '',
    'src/program.py': 'def run():\n    pass\n',
  });
  const { id: applicationId } = await client.createApplication({ json: { name: 'Templates' } });
  for (const one of [worker.service, service, bare])
    await client.subscribe({ applicationId, json: { serviceId: one.id } });
  const templates = await client.listElementTemplates({ applicationId });
  expect(templates).toHaveLength(3);
  for (const template of templates) {
    const { valid, errors } = validateZeebe(template);
    expect(errors ?? [], template.name).toEqual([]);
    expect(valid).toBe(true);
  }
  // The validator refuses a template without its binding.
  expect(validateZeebe({ ...templates[0], properties: [{ type: 'String', value: '1' }] })).toMatchObject({
    valid: false,
  });
});

test('an application of somebody else has none', async () => {
  const { client: stranger } = await platform.signIn('stranger');
  await expect(stranger.listElementTemplates({ applicationId: worker.application.id })).rejects.toMatchObject({
    status: 404,
  });
});
