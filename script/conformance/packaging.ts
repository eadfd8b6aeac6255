import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { root, run } from '../run.ts';
import { buildCompose } from '../compose.ts';
import { containerTools } from '../container-engine.ts';
import { buildParts } from '../image/parts.ts';
import { javaTool } from '../keycloak.ts';
import { buildHelm, fetchScaledObjects } from '../helm.ts';
import { buildKubernetes } from '../kubernetes/build.ts';
import { kubernetesTools } from '../kubernetes.ts';
import { postgresTool } from '../postgres.ts';
import { buildS3 } from '../s3.ts';
import { systemdTools } from '../systemd.ts';
import { ensureTools, runtimeTools, testTools, ToolsMissing, type Tool } from '../system-tools.ts';

// npm run conformance:packaging [-- chart|compose|systemd]: the chart on a real control plane, the compose file on a real
// Docker, the unit under a real systemd. The first run builds Kubernetes, Helm, Docker Compose and an S3 server, which takes
// 15 to 40 minutes; later runs find them in ~/.cache/kethub. Further arguments go to vitest.
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);

interface Part {
  readonly test: string;
  readonly tools: readonly Tool[];
  readonly needsImages: boolean;
  /** Builds the programs that the test needs. */
  programs(): Record<string, string>;
}

const PARTS: Record<string, Part> = {
  chart: {
    test: 'test/packaging.conformance.test.ts',
    tools: [...kubernetesTools, postgresTool],
    needsImages: true,
    programs: () => ({
      kubernetes: buildKubernetes(say),
      helm: buildHelm(say),
      s3: buildS3(say),
      scaledObjects: fetchScaledObjects(),
    }),
  },
  compose: {
    test: 'test/packaging-compose.conformance.test.ts',
    tools: [...containerTools, ...testTools, postgresTool, javaTool],
    needsImages: true,
    programs: () => ({ compose: buildCompose(say) }),
  },
  systemd: {
    test: 'test/packaging-systemd.conformance.test.ts',
    tools: systemdTools,
    needsImages: false,
    programs: () => ({}),
  },
};

const [first = '', ...rest] = process.argv.slice(2);
const only = PARTS[first];
const chosen = only ? [only] : Object.values(PARTS);
const programs: Record<string, string> = {};
try {
  if (process.getuid?.() !== 0) throw new ToolsMissing('Containers and clusters are started by root only.');
  ensureTools([...runtimeTools, ...chosen.flatMap(({ tools }) => tools)], say);
  for (const part of chosen) Object.assign(programs, part.programs());
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exit(1);
}
if (chosen.some(({ needsImages }) => needsImages))
  execFileSync(process.execPath, [path.join(root, 'script/image.ts')], { stdio: 'inherit' });
if (programs['compose'] !== undefined) await buildParts(say);
const selection = [...chosen.map(({ test }) => test), ...(only ? rest : process.argv.slice(2))];
const passed = await run('conformance of packaging', 'vitest', ['run', ...selection], {
  KETHUB_TEST_CONFORMANCE: '1',
  KETHUB_TEST_PACKAGING: JSON.stringify(programs),
});
process.exitCode = passed ? 0 : 1;
