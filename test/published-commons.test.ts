import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-commons-'));

beforeAll(async () => {
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--root-user-action', 'ignore'];
  await run('/usr/bin/python3', [...install, '--target', folder, 'qhub-commons==1.2.2', 'pydantic==2.13.3']);
});
afterAll(() => rmSync(folder, { recursive: true }));

const head = `# Parameters, value by value

The table compares Kethub with \`qhub-commons\` 1.2.2 from PyPI. Each line is one member of the input. It shows the
annotation of the parameter in \`run\`, the JSON that was sent, and the value that \`run\` gets. The last column says how
Kethub decides, and why. The rules are in [Values of Python services](python-values.md).

<!-- Made by test/published-commons.test.ts: npm test -- test/published-commons.test.ts --update -->

| Annotation | JSON | Kethub | qhub-commons | Decision |
|---|---|---|---|---|
`;

test('what annotations make of values is as docs/python-parameters.md says, beside qhub-commons from PyPI', async () => {
  const script = path.join(import.meta.dirname, 'published-commons', 'compare.py');
  const paths = [path.join(root, 'packages/runtime/python'), folder].join(path.delimiter);
  const env = { PYTHONPATH: paths, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await run('/usr/bin/python3', [script], { env });
  expect(stdout.trim().split('\n').length).toBeGreaterThanOrEqual(89);
  await expect(`${head}${stdout}`).toMatchFileSnapshot(path.join(root, 'docs/python-parameters.md'));
});
