import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { root, run } from '../run.ts';
import { composeTool, containerTools } from '../container-engine.ts';
import { buildParts } from '../image/parts.ts';
import { javaTool } from '../keycloak.ts';
import { buildHelm } from '../helm.ts';
import { buildKubernetes } from '../kubernetes/build.ts';
import { kubernetesTools } from '../kubernetes.ts';
import { postgresTool } from '../postgres.ts';
import { buildS3 } from '../s3.ts';
import { ensureTools, runtimeTools, ToolsMissing } from '../system-tools.ts';

// npm run conformance:packaging: the images in a container engine, and the chart on a real control plane. The first run builds
// Kubernetes, Helm and an S3 server, which takes 15 to 40 minutes; later runs find them in ~/.cache/kethub.
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
let programs: Record<string, string>;
try {
  if (process.getuid?.() !== 0) throw new ToolsMissing('A cluster is started by root only.');
  ensureTools([...runtimeTools, ...containerTools, ...kubernetesTools, postgresTool, javaTool, composeTool], say);
  programs = { kubernetes: buildKubernetes(say), helm: buildHelm(say), s3: buildS3(say) };
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exit(1);
}
execFileSync(process.execPath, [path.join(root, 'script/image.ts')], { stdio: 'inherit' });
await buildParts(say);
const passed = await run('conformance of packaging', 'vitest', ['run', 'test/packaging', ...process.argv.slice(2)], {
  KETHUB_TEST_CONFORMANCE: '1',
  KETHUB_TEST_PACKAGING: JSON.stringify(programs),
});
process.exitCode = passed ? 0 : 1;
