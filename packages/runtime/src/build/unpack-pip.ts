import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { PYTHON } from '../sandbox/root.ts';
import { removeTree } from './folders.ts';
import type { HostPython } from './host-python.ts';
import { publish } from './layer.ts';

const run = promisify(execFile);

const UNPACK = `
import compileall, py_compile, sys, zipfile
zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])
compileall.compile_dir(sys.argv[2], quiet=1, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
`;

/**
 * Unpacks and compiles the wheel of pip once per data folder. Run from the wheel, pip would compile all of its modules
 * at every start, which takes a second of processor time.
 */
export async function unpackPip(runtimeDir: string, python: HostPython): Promise<HostPython> {
  const { pip } = python;
  if (pip === null || !pip.isWheel) return python;
  const folder = join(runtimeDir, 'pips', `${basename(pip.path, '.whl')}-python${python.version}`);
  if (!existsSync(folder)) {
    await mkdir(join(runtimeDir, 'pips'), { recursive: true, mode: 0o711 });
    const draft = join(runtimeDir, 'drafts', randomUUID());
    try {
      await mkdir(draft, { recursive: true, mode: 0o755 });
      await run(PYTHON, ['-I', '-S', '-c', UNPACK, pip.path, draft], { env: {}, cwd: '/' });
      await publish(draft, folder);
    } finally {
      await removeTree(draft);
    }
  }
  return { ...python, pip: { version: pip.version, path: join(folder, 'pip'), isWheel: false } };
}
