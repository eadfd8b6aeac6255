import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * A source distribution of one module that builds itself without setuptools: it contains its own backend, as PEP 517
 * allows.
 * @param whileBuilt lines of Python that run during its build.
 */
export function sourceOf(
  name: string,
  version: string,
  code: string,
  whileBuilt = 'pass',
  metadata = '',
  requires: readonly string[] = [],
): [string, Buffer] {
  const info = `${name}-${version}.dist-info`;
  const backend = `
import os, sys, zipfile

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
${whileBuilt
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
    file = "${name}-${version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, file), "w") as wheel:
        wheel.writestr("${name}.py", open("module.txt").read())
        wheel.writestr("${info}/METADATA", "Metadata-Version: 2.1\\nName: ${name}\\nVersion: ${version}\\n${metadata}\\n")
        wheel.writestr("${info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("${info}/RECORD", "")
    return file
`;
  const project = `[build-system]\nrequires = ${JSON.stringify(requires)}\nbuild-backend = "backend"\nbackend-path = ["."]\n`;
  const files = { 'pyproject.toml': project, 'backend.py': backend, 'module.txt': `${code}\n` };
  const top = `${name}-${version}`;
  const folder = mkdtempSync(join(tmpdir(), 'kethub-source-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, top, file)), { recursive: true });
      writeFileSync(join(folder, top, file), text);
    }
    const packed = spawnSync('tar', ['--create', '--gzip', '--file', `${top}.tar.gz`, top], { cwd: folder });
    if (packed.status !== 0) throw new Error(String(packed.stderr));
    return [`${top}.tar.gz`, readFileSync(join(folder, `${top}.tar.gz`))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
