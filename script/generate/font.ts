import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fetchPackages } from '../python-packages.ts';
import { root } from '../run.ts';

const FONT = 'apps/dashboard/src/look/fonts/inter-latin.woff2';
/** The Latin letters of the package, for weights from 100 to 900: 48 kB. */
const WHOLE = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
/** Keeps the weights from 400 to 700: the dashboard uses no others. */
const PROGRAM = `
import sys
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

font = instancer.instantiateVariableFont(TTFont(sys.argv[1], recalcTimestamp=False), {"wght": (400, 700)})
font.flavor = "woff2"
font.save(sys.argv[2])`;

/** Makes the font of the dashboard from the one in its package. Returns its file. */
export function makeFont(): string {
  const packages = fetchPackages('fonttools', 'script/generate/font-requirements.txt', (line) =>
    process.stderr.write(`${line}\n`),
  );
  execFileSync('/usr/bin/python3', ['-c', PROGRAM, path.join(root, WHOLE), path.join(root, FONT)], {
    env: { ...process.env, PYTHONPATH: packages },
  });
  return FONT;
}
