import { tmpdir } from 'node:os';
import { test } from 'vitest';
import { expectContained } from '../testing/contained.ts';
import { rootsForTests } from '../testing/roots.ts';
import { openSandboxDriver } from './index.ts';

test('the sandbox contains every hostile program', { timeout: 600_000 }, async () => {
  await expectContained(await openSandboxDriver(tmpdir(), await rootsForTests()));
});
