import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { descendantsOf, usageBelow } from '../sandbox/usage.ts';
import type { BuiltCode } from '../build/index.ts';
import type { Code } from '../types.ts';
import { hostileZip } from './hostile-zip.ts';
import { filesOf } from './programs.ts';
import { LIMITS } from './runs.ts';
import type { Traps } from './traps.ts';
import type { EscapeDriver } from './types.ts';
import { uploaded } from './upload.ts';

/** Equal samples of a waiting worker that show that nothing in it runs. */
const LOOKS = 20;
const MOST_LOOKS = 1_000;
const LOOK_MS = 15;

const FORGED = ['src.program', 'src', 'src.kit', 'src.kit,src.program'];
const BUSY = `
import os, threading
def burn():
    while True: pass
threading.Thread(target=burn, daemon=True).start()
threading.Thread(target=lambda: os.fork() or burn(), daemon=True).start()
`;

/**
 * Workers wait for jobs with modules imported. Checks that neither the service nor its packages can use that time to
 * run.
 */
export async function runUnasked(driver: EscapeDriver, traps: Traps): Promise<string[]> {
  const hints = `HINTS = ${JSON.stringify(traps.hints)}\n`;
  const files = Object.entries({ ...filesOf('unasked'), 'src/hints.py': hints });
  const { outcome } = await uploaded(driver, hostileZip(files.map(([name, content]) => ({ name, content }))));
  if (!outcome.ok) return [`it could not be tried: ${outcome.problem.detail}`];
  const { source, imports } = outcome.built as BuiltCode;
  const own = imports.filter((name) => name.split('.')[0] === 'src');
  const faults = own.map((name) => `its own report lets workers import ${name}`);
  const [, runtimeDir = ''] = driver.folders;
  const code = { sourceDir: join(runtimeDir, source), layerDir: null, imports: FORGED };
  return [...faults, ...(await faultsOfWaiting(driver, code)), ...(await faultsOfWaiting(driver, busy(runtimeDir)))];
}

/** A service with a package that starts threads and processes when it is imported. */
function busy(runtimeDir: string): Code {
  const sourceDir = join(runtimeDir, 'code', 'busy');
  const layerDir = join(runtimeDir, 'code', 'busy-layer');
  mkdirSync(join(sourceDir, 'src'), { recursive: true });
  mkdirSync(layerDir);
  writeFileSync(join(sourceDir, 'src', 'program.py'), 'def run():\n    return 1\n');
  writeFileSync(join(layerDir, 'busy.py'), BUSY);
  return { sourceDir, layerDir, imports: ['busy'] };
}

async function faultsOfWaiting({ runtime }: EscapeDriver, code: Code): Promise<string[]> {
  await runtime.prewarm(code, {}, LIMITS);
  let used = -1;
  for (let look = 0, same = 0; look < MOST_LOOKS; look++) {
    const { warm } = await runtime.status();
    const worker = warm.find(({ sourceDir }) => sourceDir === code.sourceDir);
    if (worker === undefined) return ['a worker ended before it got a job'];
    const now = usageBelow(worker.pid).cpuMs;
    const began = descendantsOf(worker.pid).length > 1; // the first process of the sandbox, and Python
    same = began && now === used ? same + 1 : 0;
    if (same === LOOKS) return [];
    used = now;
    await pause(LOOK_MS);
  }
  return ['a worker that waits for its job uses the processor'];
}
