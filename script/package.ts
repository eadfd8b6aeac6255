import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundle } from './package/bundle.ts';
import { filesBelow } from './package/files.ts';
import { npmTarball } from './package/npm.ts';
import { wheel } from './package/wheel.ts';
import { root } from './run.ts';

// `npm run package [-- folder]`: writes the command line as an npm package and as a wheel into a folder (default:
// .runtime/packages). With `--npm` or `--wheel`: that one alone, to standard output; the platform offers both for download.
const [first] = process.argv.slice(2);
const temporary = mkdtempSync(path.join(os.tmpdir(), 'ket-package-'));
try {
  const { version } = await bundle(temporary);
  const files = filesBelow(temporary);
  if (first === '--npm') {
    process.stdout.write(npmTarball(files));
  } else if (first === '--wheel') {
    process.stdout.write((await wheel(version, files)).content);
  } else {
    const folder = path.resolve(first ?? path.join(root, '.runtime/packages'));
    const made = await wheel(version, files);
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of [
      [`kethub-cli-${version}.tgz`, npmTarball(files)] as const,
      [made.name, made.content] as const,
    ]) {
      writeFileSync(path.join(folder, name), content);
      process.stdout.write(`${path.join(folder, name)}  ${Math.ceil(content.length / 1024)} kB\n`);
    }
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
