import { setTimeout as pause } from 'node:timers/promises';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ExecutionRuntime } from './local-runtime.ts';

/** Milliseconds that cancelled executions may take to end before the connection to the runner is closed. */
const END_MS = 10_000;

/** Runs executions in the sandbox of the platform, by a runner of their own in `<dataDir>/runtime`. */
export async function openSandboxed(dataDir: string): Promise<ExecutionRuntime> {
  const { connectRuntime } = await import('../client/connect.ts');
  const runtime = await connectRuntime({ dataDir, idleExitMs: 3_000 });
  return {
    start: (job) => runtime.start(job),
    cancel: (id) => runtime.cancel(id),
    list: () => runtime.list(),
    forget: (id) => runtime.forget(id),
    readLog: (id, from) => runtime.readLog(id, from),
    onEnded: (listener) => runtime.onEnded(listener),
    onLog: (listener) => runtime.onLog(listener),
    async prewarm({ code, environment, limits }) {
      if (!('image' in code)) await runtime.prewarm(code, environment, limits);
    },
    async close() {
      const until = performance.now() + END_MS;
      while (performance.now() < until && (await runtime.status()).running.length > 0) await pause(50);
      await runtime.close();
    },
  };
}

/**
 * Returns why the sandbox cannot run this Python on this machine; null when it can.
 * @param folders folders that the program must reach: its code, its packages.
 */
export async function whyNoSandbox(version: string, folders: readonly (string | null)[]): Promise<string | null> {
  if (process.platform !== 'linux') return 'the sandbox needs Linux';
  // The packages of the command line come without the runner, which belongs to the platform.
  if (!existsSync(path.join(import.meta.dirname, '../runner/main.ts'))) return 'this ket comes without the sandbox';
  const { checkSandbox } = await import('../sandbox/check.ts');
  const checked = await checkSandbox();
  if (!checked.usable) return checked.reason.replace(/\.$/, '');
  const question = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const system = spawnSync('/usr/bin/python3', ['-I', '-S', '-c', question], { encoding: 'utf8' }).stdout.trim();
  if (system !== version) return `the sandbox has Python ${system}, this is Python ${version}`;
  for (const folder of folders) {
    if (folder === null) continue;
    const closed = process.getuid?.() === 0 ? closedParent(folder) : null;
    if (closed !== null) return `users of the sandbox may not pass through ${closed}`;
    const editable = readdirSync(folder).find((name) => refersElsewhere(folder, name));
    if (editable !== undefined) return `${editable} refers to packages elsewhere on this machine`;
  }
  return null;
}

/** Returns whether an entry of site-packages is the trace of an editable installation. */
function refersElsewhere(folder: string, name: string): boolean {
  if (!name.endsWith('.pth')) return false;
  return name.startsWith('__editable__') || /^\//m.test(readFileSync(path.join(folder, name), 'utf8'));
}

/** The first parent folder that other users may not pass through. */
function closedParent(folder: string): string | null {
  for (let at = realpathSync(folder); ; at = path.dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return at;
    if (path.dirname(at) === at) return null;
  }
}
