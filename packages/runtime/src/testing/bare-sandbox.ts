import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { makeRunnerPaths } from '../paths.ts';
import { baseEnvironment, FD, fixedOptions, layoutOptions } from '../sandbox/bwrap.ts';
import { prepareRoot } from '../sandbox/root.ts';
import { PYTHON_SIDE } from '../version.ts';

const USER = 199_999;
const TMP_BYTES = 256 * 2 ** 20;

interface BareSandbox {
  /** Runs a line of Python to its end. Rejects when it fails. */
  run(line: string): Promise<void>;
  remove(): void;
}

/**
 * The cost of an execution without a platform. It spawns bubblewrap with the arguments of a service, and the
 * interpreter as the platform starts it. The packages are those that `dataDir` has built, and the program is one line
 * of Python. Runs follow each other, without limits, job or log, and nothing is kept.
 */
export function bareSandbox(dataDir: string): BareSandbox {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));
  chmodSync(folder, 0o711);
  const root = prepareRoot(makeRunnerPaths(folder), PYTHON_SIDE, false);
  const [packages, output] = [path.join(folder, 'packages'), path.join(folder, 'output')];
  cpSync(layerOf(dataDir), packages, { recursive: true });
  mkdirSync(output, { mode: 0o700 });
  chownSync(output, USER, USER);
  const options = layoutOptions(root, {
    mounts: [
      { from: packages, to: '/app', writable: false },
      { from: packages, to: '/deps', writable: false },
      { from: output, to: '/var/runtime/output', writable: true },
    ],
    tmpBytes: TMP_BYTES,
    workingDirectory: '/var/runtime/output',
    environment: baseEnvironment(1),
    network: 'NONE',
  });
  return {
    async run(line) {
      const program = `import sys; sys.path += ["/deps", "/deps/site-packages"]; ${line}`;
      const command = ['/usr/bin/python3', '-I', '-S', '-u', '-B', '-c', program];
      const seccomp = openSync(`${root.dir}/seccomp.bpf`, 'r');
      const child = spawn('/usr/bin/bwrap', [...fixedOptions('NONE'), '--', ...command], {
        uid: USER,
        gid: USER,
        env: {},
        cwd: '/',
        stdio: ['ignore', 'pipe', 'pipe', 'ignore', seccomp, 'pipe', 'pipe'],
      });
      closeSync(seccomp);
      // Declared for five descriptors; a pipe is a duplex stream.
      (child.stdio as unknown as Writable[])[FD.OPTIONS]?.end(options);
      const said = Promise.all([child.stdout, child.stderr].map(async (stream) => (stream ? text(stream) : '')));
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0) throw new Error(`The bare sandbox ended with ${code}: ${(await said).join('')}`);
    },
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}

function layerOf(dataDir: string): string {
  const layers = path.join(dataDir, 'runtime', 'layers');
  const [layer] = readdirSync(layers);
  if (layer === undefined) throw new Error('The platform has no layer with packages');
  return path.join(layers, layer);
}
