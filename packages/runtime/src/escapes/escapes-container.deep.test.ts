import { tmpdir } from 'node:os';
import { test } from 'vitest';
import { expectContained } from '../testing/contained.ts';
import { testEngine } from '../testing/images.ts';
import { rootsForTests } from '../testing/roots.ts';
import { openContainerDriver } from './index.ts';

test.runIf(testEngine !== null)('a container contains every hostile program', { timeout: 600_000 }, async () => {
  await expectContained(await openContainerDriver(testEngine ?? '', tmpdir(), await rootsForTests()));
});
