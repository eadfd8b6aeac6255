import { describe } from 'vitest';
import { openBench } from './testing/bench.ts';
import { testDriver } from './testing/contract.ts';
import { shellImage, testEngine } from './testing/images.ts';

describe('sandbox', () => {
  testDriver({
    kind: 'PYTHON',
    open: () => openBench(),
    given: ({ python }, order) => [python, order],
    missing: { sourceDir: '/nowhere/at/all', layerDir: null, imports: [] },
    measuredBy: /^CGROUPS_V[12]$/,
    interfaces: 1,
    limitsProcesses: true,
    sharesFolders: true,
  });
});

describe.skipIf(testEngine === null)('container', () => {
  let image: string;
  testDriver({
    kind: 'IMAGE',
    async open() {
      image = await shellImage();
      return openBench({ containers: { socketPath: testEngine ?? '', network: 'none' } });
    },
    given: ({ shell }, order) => [{ image }, { ...order, environment: { ...order.environment, PROGRAM: shell } }],
    missing: { image: 'kethub-nowhere:1' },
    measuredBy: /^CGROUPS_V[12]$/,
    interfaces: 1,
    limitsProcesses: true,
    sharesFolders: true,
  });
});
