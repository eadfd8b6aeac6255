import { run } from '../run.ts';
import { accountingTools } from '../slurm/accounting.ts';
import { slurmTools } from '../slurm.ts';
import { buildKubernetes } from '../kubernetes/build.ts';
import { kubernetesTools } from '../kubernetes.ts';
import { ensureTools, runtimeTools, testTools, ToolsMissing } from '../system-tools.ts';

// npm run conformance:kubernetes, npm run conformance:slurm: the contract of drivers on a real engine, and what only that
// engine can do. The first run builds Kubernetes, which takes 9 to 25 minutes; later runs find it in ~/.cache/kethub.
const engine = process.argv[2] ?? '';
const chosen = process.argv.slice(3);
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
try {
  if (process.getuid?.() !== 0) throw new ToolsMissing('A cluster is started by root only.');
  // The tests of Slurm look at the dashboard in a browser.
  const browser = testTools.filter(({ what }) => what === 'Chromium');
  const ofSlurm = [...slurmTools, ...accountingTools, ...browser];
  ensureTools([...runtimeTools, ...(engine === 'slurm' ? ofSlurm : kubernetesTools)], say);
  if (engine === 'kubernetes') buildKubernetes(say);
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exit(1);
}
// Each file of Kubernetes has a cluster of its own. More of them at a time only wait for each other's processors.
const workers = engine === 'kubernetes' ? ['--maxWorkers=2'] : [];
const passed = await run(
  `conformance of ${engine}`,
  'vitest',
  ['run', `${engine}.conformance`, ...workers, ...chosen],
  {
    KETHUB_TEST_CONFORMANCE: '1',
  },
);
process.exitCode = passed ? 0 : 1;
