import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';
import { ensureTools, runtimeTools, ToolsMissing } from './system-tools.ts';

// npm run prepare-machine: installs what a service of systemd needs, because the service may not write into this
// folder. It installs tools of the system, Node as .runtime/node, and the built dashboard as .runtime/built-dashboard.
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
try {
  ensureTools(runtimeTools, say);
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exit(1);
}
const runtime = path.join(root, '.runtime');
mkdirSync(runtime, { recursive: true });
const node = path.join(runtime, 'node');
rmSync(node, { force: true });
symlinkSync(process.execPath, node);
say('building the dashboard ...');
const dashboard = path.join(runtime, 'built-dashboard');
execFileSync(process.execPath, [path.join(root, 'apps/dashboard/build.ts'), dashboard], {
  cwd: root,
  stdio: 'inherit',
});
execFileSync('chmod', ['-R', 'u=rwX,go=rX', dashboard]);
say(`ready: ${node}, ${dashboard}`);
