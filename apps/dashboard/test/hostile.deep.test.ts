import { existsSync } from 'node:fs';
import { serviceForm, workflowForm } from '@kethub/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, deploy, type TestKethub } from '@kethub/server/testing/kethub';
import { asFile, bpmn, start } from '@kethub/server/testing/workflows';
import { newFile } from '../src/modeller/kit/new-file.ts';
import { zip } from '@kethub/server/testing/zip';
import { picture } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const SCRIPT = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const FIELDS = 500;
/** A schema with recursion, one with 500 members, and a pattern that takes exponential time in a browser. */
const SCHEMAS = {
  'src/program.py': `
from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Optional


class Endless:
    pattern = "^(a+)+$"


@dataclass
class Node:
    """${SCRIPT.replaceAll('"', "'")}"""
    name: str = ""
    children: list["Node"] = field(default_factory=list)
    next: Optional["Node"] = None


Many = make_dataclass("Many", [(f"member_{n}", int, field(default=n)) for n in range(${FIELDS})])


def run(code: Annotated[str, Endless()], tree: Optional[Node] = None, many: Optional[Many] = None):
    return {"code": code, "tree": tree is not None, "sum": 0 if many is None else many.member_1 + many.member_499}
`,
};
/** A function with 500 parameters. */
const PARAMETERS = {
  'src/program.py': `
def run(${Array.from({ length: FIELDS }, (_, at) => `p${at}: int = ${at}`).join(', ')}):
    return {"first": p0, "last": p${FIELDS - 1}}
`,
};
/** Prints and returns what breaks pages that trust it. */
const OUTPUT = {
  'src/program.py': `
from pathlib import Path


def run(data: int = 0) -> dict:
    script = ${JSON.stringify(SCRIPT)}
    print(script)
    print("\\x1b[31mred\\x1b[0m \\u202etxet\\u202c \\x00 zero")
    print("x" * 200_000)
    out = Path("/var/runtime/output")
    (out / "page.html").write_text(script)
    (out / "README.md").write_text(script + "[link](javascript:window.hacked=1)")
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40' onload='window.hacked=1'>"
    (out / "picture.svg").write_text(svg + "<script>parent.hacked=1;window.hacked=1</script><rect width='80' height='40'/></svg>")
    deep = []
    for _ in range(60):
        deep = [deep]
    rows = [{"__proto__": script, "constructor": 1, "toString": script, script: 2} for _ in range(3)]
    return {"big": 2**64, "deep": deep, "rows": rows, "__proto__": {"polluted": True}, "text": script * 2_000, script: script}
`,
};

describe.skipIf(!existsSync(PROGRAM))('what hostile people write, in a browser', () => {
  let dashboard: Dashboard;
  let kethub: TestKethub;
  let page: Page;
  beforeAll(async () => {
    dashboard = await openDashboard();
    ({ kethub, page } = dashboard);
  }, 240_000);
  afterAll(() => dashboard?.close());

  /** Everything by which a page could have been changed by what it shows. */
  const hacked = () =>
    page.evaluate('[window.hacked, Object.prototype.polluted, document.querySelectorAll("img[onerror]").length]');
  const CLEAN = [undefined, undefined, 0];
  const run = async (serviceId: string): Promise<void> => {
    await page.goto(`${dashboard.origin}/me/services/${serviceId}/run`);
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  };

  test('a pattern that never ends and a schema with recursion and 500 members leave the page alive', async () => {
    const { service } = await build(kethub.client, 'Schemas', SCHEMAS);
    await run(service.id);
    await page.getByLabel(/^code/).fill(`${'a'.repeat(60)}!`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    // Python does not enforce the pattern, and the browser does not try it.
    await page.getByText('Succeeded').waitFor({ timeout: 60_000 });
    await page.getByLabel(/^code/).fill('aaa');
    const members = Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [`member_${at}`, at]));
    await page.getByText('JSON', { exact: true }).first().click();
    const deep = JSON.parse(`${'{"name":"n","next":'.repeat(40)}{"name":"end"}${'}'.repeat(40)}`) as object;
    await page
      .getByLabel('Input as JSON')
      .fill(JSON.stringify({ code: 'aaa', tree: { children: [deep, deep] }, many: members }));
    await page.getByText('Form', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Succeeded').waitFor({ timeout: 60_000 });
    await page.getByText('500', { exact: true }).first().waitFor();
    expect(await hacked()).toEqual(CLEAN);
  });

  test('a pattern that never ends is judged by the platform, and its answer names the member', async () => {
    const schema = { type: 'object', properties: { code: { type: 'string', pattern: '^(a+)+$' } }, required: ['code'] };
    const xml = bpmn.file([start(schema), bpmn.end('end'), bpmn.chain('start', 'end')]);
    const { id } = await kethub.client.createService({ body: workflowForm({ name: 'Pattern', source: asFile(xml) }) });
    await kethub.client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await run(id);
    const code = page.getByLabel(/^code/);
    await code.fill(`${'a'.repeat(60)}!`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => code.getAttribute('aria-invalid'), { timeout: 30_000 }).toBe('true');
    expect(await kethub.client.listOwnedExecutions({ serviceId: id })).toEqual([]);
    await picture(page, 'hostile-pattern');
  });

  test('a form with 500 fields is filled in', async () => {
    const { service } = await build(kethub.client, 'Parameters', PARAMETERS);
    await page.goto(`${dashboard.origin}/me/services/${service.id}`);
    await page.getByText(`p${FIELDS - 1}`, { exact: true }).waitFor();
    await run(service.id);
    await page.getByLabel(/^p0 /).fill('7');
    await page.getByLabel(new RegExp(`^p${FIELDS - 1} `)).fill('18446744073709551616');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Succeeded').waitFor({ timeout: 60_000 });
    await page.getByText('18446744073709551616').first().waitFor();
    await picture(page, 'hostile-fields');
  });

  test('log, result and files run no script and break no page', async () => {
    const { service } = await build(kethub.client, SCRIPT, OUTPUT);
    await run(service.id);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Succeeded').waitFor({ timeout: 60_000 });
    await page.getByText('18446744073709551616').first().waitFor();
    await picture(page, 'hostile-result');
    // Long names of members leave room for their values.
    const big = page.locator('.facts dd').filter({ hasText: '18446744073709551616' });
    expect((await big.boundingBox())?.width).toBeGreaterThan(150);
    await page.getByRole('tab', { name: 'Files 3' }).click();
    const image = page.getByRole('img', { name: 'picture.svg' });
    await image.waitFor();
    await picture(page, 'hostile-files');
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByRole('log').getByText('<script>').first().waitFor();
    await picture(page, 'hostile-log');
    await page.getByRole('tab', { name: 'Record' }).click();
    await page.getByText('Everything that was recorded').waitFor();
    expect(await hacked()).toEqual(CLEAN);
    for (const list of [
      '',
      '/services',
      '/executions',
      `/services/${service.id}`,
      `/services/${service.id}/executions`,
    ]) {
      await page.goto(`${dashboard.origin}/me${list}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByText('Loading…').count(), { timeout: 30_000 }).toBe(0);
      expect(await hacked()).toEqual(CLEAN);
    }
  });

  test('a README and names of files in a source run no script', async () => {
    const files = {
      'src/__init__.py': '',
      'src/program.py': 'def run():\n    return 1\n',
      'README.md': `${SCRIPT}\n\n[link](javascript:window.hacked=1)\n\n![x](javascript:window.hacked=1)\n`,
      'page.html': SCRIPT,
      '<img src=x onerror=window.hacked=1>.txt': SCRIPT,
    };
    const body = serviceForm({ name: 'Readme', source: await zip(files) });
    const { id } = await kethub.client.createService({ body });
    await page.goto(`${dashboard.origin}/me/services/${id}/versions/1.0.0/source?file=README.md`);
    await page.getByLabel('Text of README.md').getByText('onerror').waitFor();
    await page.getByRole('link', { name: 'page.html' }).click();
    await page.getByLabel('Text of page.html').getByText('onerror').waitFor();
    await page.getByRole('link', { name: /onerror=window/ }).click();
    await page
      .getByLabel(/^Text of <img/)
      .getByText('onerror')
      .waitFor();
    await picture(page, 'hostile-source');
    expect(await hacked()).toEqual(CLEAN);
  });

  test('an API specification runs no script, and its schemas do not multiply, in the modeller neither', async () => {
    const { service, application } = await deploy(kethub.client, 'Specified', {
      'src/program.py': 'def run(data: int = 0) -> dict:\n    return {"data": data}\n',
    });
    await kethub.client.addServiceVersion({
      serviceId: service.id,
      body: new Blob(
        [await zip({ 'src/__init__.py': '', 'src/program.py': 'def run(data: int = 0) -> dict:\n    return {}\n' })],
        {
          type: 'application/zip',
        },
      ),
    });
    const at = { serviceId: service.id, version: '2.0.0' };
    const [draft] = (await kethub.client.getService({ serviceId: service.id })).versions;
    const version = draft?.version ?? '';
    for await (const one of kethub.client.watchBuild({ ...at, version })) if (one.status === 'SUCCEEDED') break;
    const derived = JSON.parse(JSON.stringify(await kethub.client.getApiSpecification({ ...at, version }))) as {
      info: object;
      components: { schemas: Record<string, object> };
    };
    const { ResultResponse } = derived.components.schemas;
    const bomb = { $ref: '#/components/schemas/Bomb' };
    const properties = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`member${n}`, bomb]));
    const document = {
      ...derived,
      info: { ...derived.info, description: SCRIPT },
      components: {
        ...derived.components,
        schemas: {
          ...derived.components.schemas,
          Bomb: { type: 'object', description: SCRIPT, anyOf: Array.from({ length: 20 }, () => bomb), properties },
          ResultResponse: { ...ResultResponse, anyOf: [bomb, ResultResponse] },
        },
      },
    };
    await page.goto(`${dashboard.origin}/me/services/${service.id}/versions/${version}/specification`);
    await page
      .getByLabel('OpenAPI document', { exact: true })
      .first()
      .setInputFiles({ name: 'api.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(document)) });
    await page.getByText('This document was uploaded.').waitFor();
    await page.getByLabel('OpenAPI document', { exact: true }).last().getByText('window.hacked').waitFor();
    await picture(page, 'hostile-specification');
    expect(await hacked()).toEqual(CLEAN);
    await kethub.client.publishServiceVersion({ ...at, version, json: { visibility: 'INTERNAL' } });
    const other = await kethub.client.createApplication({ json: { name: 'Modeller' } });
    await kethub.client.subscribe({ applicationId: other.id, json: { serviceId: service.id } });
    const source = asFile(newFile('Flow'));
    const flow = await kethub.client.createService({ body: workflowForm({ name: 'Flow', source }) });
    for (const { id } of [application, other]) {
      const json = { applicationId: id };
      await kethub.client.setWorkflowApplication({ serviceId: flow.id, version: '1.0.0', json });
      await page.goto(`${dashboard.origin}/me/services/${flow.id}/model`);
      await page.getByRole('treeitem', { name: /^Request/ }).click();
      await page.getByText('Append…', { exact: true }).click();
      await page.getByText('Specified', { exact: true }).first().waitFor();
    }
    await picture(page, 'hostile-modeller');
    expect(await hacked()).toEqual(CLEAN);
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
