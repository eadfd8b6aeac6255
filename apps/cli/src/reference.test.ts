import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from './program.ts';
import { reference } from './reference.ts';
import { shellOfProcess } from './shell.ts';

const page = path.join(import.meta.dirname, '../../../docs/cli.md');
const begin = '<!-- Made from the commands: vitest run apps/cli/src/reference.test.ts --update -->\n';
const end = '<!-- End of what is made -->\n';

test('docs/cli.md says what the commands are', async () => {
  const [before, rest = ''] = (await readFile(page, 'utf8')).split(begin);
  const [, after] = rest.split(end);
  expect(after, 'docs/cli.md has lost its marks').toBeDefined();
  const made = reference(createProgram(shellOfProcess()));
  await expect(`${before}${begin}\n${made}\n${end}${after}`).toMatchFileSnapshot(page);
});
