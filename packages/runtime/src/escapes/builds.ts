import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { BuiltCode } from '../build/index.ts';
import { hostileZip, type HostileEntry } from './hostile-zip.ts';
import { filesOf } from './programs.ts';
import type { Traps } from './traps.ts';
import { runUnasked } from './unasked.ts';
import { uploaded } from './upload.ts';
import type { EscapeDriver, HostileBuild } from './types.ts';

/** The flag for names in UTF-8. Without it a name is in code page 437, where control characters are little pictures. */
const UTF_8 = 0x800;

/** Archives that must all be refused. */
const ARCHIVES: Record<string, HostileEntry[]> = {
  'a path out of the folder': [{ name: '../../escaped', content: 'x' }],
  'a path out of a folder inside': [{ name: 'src/../../../escaped', content: 'x' }],
  'an absolute path': [{ name: '/tmp/kethub-escaped', content: 'x' }],
  'a path of Windows': [{ name: 'C:/escaped', content: 'x' }],
  'a path with backslashes': [{ name: '..\\..\\escaped', content: 'x' }],
  'a symbolic link': [{ name: 'link', content: '/etc/passwd', mode: 0o120777 }],
  'a file behind a symbolic link': [
    { name: 'src/out', content: '/tmp', mode: 0o120777 },
    { name: 'src/out/kethub-escaped', content: 'x' },
  ],
  'a device': [{ name: 'disk', mode: 0o060666 }],
  'a pipe': [{ name: 'pipe', mode: 0o010666 }],
  'the same name twice': [
    { name: 'src/twice.py', content: 'a' },
    { name: 'src/twice.py', content: 'b' },
  ],
  'a file that is a folder as well': [
    { name: 'src/both', content: 'a' },
    { name: 'src/both/inner', content: 'b' },
  ],
  'entries that share their bytes': Array.from({ length: 200 }, (_, index) => ({
    name: `src/shared-${String(index).padStart(3, '0')}`,
    content: Buffer.alloc(65_536),
    ...(index === 0 ? {} : { sharesWith: 0 }),
  })),
  'an entry that claims to be small': [
    { name: 'src/bomb', content: deflateRawSync(Buffer.alloc(64 * 2 ** 20)), method: 8, claims: 10 },
  ],
  'an entry that claims to be huge': [{ name: 'src/huge', content: 'x', claims: 0xfffffff0 }],
  'more files than may be': Array.from({ length: 6_000 }, (_, index) => ({ name: `src/f${index}` })),
  'control characters in a name': [{ name: 'src/line\nbreak.py', content: 'x', flags: UTF_8 }],
  'a zero byte in a name': [{ name: 'src/a.py\0.txt', content: 'x', flags: UTF_8 }],
  'an encrypted entry': [{ name: 'src/locked', content: 'x', flags: 1 }],
  'an unknown compression': [{ name: 'src/odd', content: 'x', method: 97 }],
};

export const HOSTILE_BUILDS: readonly HostileBuild[] = [
  { name: 'zip_tricks', tries: 'leave the folder or fill the disk while the upload is unpacked', attack: zipTricks },
  { name: 'code_at_build', tries: 'run code while the build looks at the program', attack: codeAtBuild },
  { name: 'unasked', tries: 'run before anybody asks, in a process that waits for a job', attack: runUnasked },
  { name: 'forged_report', tries: 'write the report of its inspection itself', attack: forgedReport },
  { name: 'requirement_variables', tries: 'read settings of the operator through requirements', attack: variables },
  { name: 'setup_py', tries: 'run the setup.py of a requirement while it is installed', attack: setupPy },
  { name: 'hostile_wheel', tries: 'write outside with a wheel, and run code of its .pth file', attack: hostileWheel },
];

export async function zipTricks(driver: EscapeDriver): Promise<string[]> {
  const before = sources(driver);
  const faults: string[] = [];
  for (const [what, entries] of Object.entries(ARCHIVES)) {
    const { outcome } = await uploaded(driver, hostileZip([...driver.honest, ...entries]));
    if (outcome.ok) faults.push(`${what} was unpacked`);
  }
  if (sources(driver) !== before) faults.push('something stays of archives that were refused');
  if (existsSync('/tmp/kethub-escaped')) faults.push('a file was written to /tmp of the machine');
  return faults;
}

async function codeAtBuild(driver: EscapeDriver, traps: Traps): Promise<string[]> {
  const hints = `HINTS = ${JSON.stringify(traps.hints)}\n`;
  const files = { ...filesOf('at_import'), 'src/hints.py': hints };
  const archive = hostileZip(Object.entries(files).map(([name, content]) => ({ name, content })));
  const { outcome, said } = await uploaded(driver, archive);
  const faults = outcome.ok ? [] : [`it could not be tried: ${outcome.problem.detail}`];
  if (said.includes(traps.secret)) faults.push('a secret of the machine is in the log of the build');
  if (/^\/\w+(\/\w+)* done/m.test(said)) faults.push('it could write to a folder that it should only read');
  return faults;
}

const CLAIM = `import json, os
CLAIM = json.dumps({
    "interface": {"parameters": [{"name": "forged"}]}, "imports": ["src.program", "decimal"],
    "modules": ["src.program", "decimal", "json", "os"], "source": "sources/other", "layer": "layers/other",
}).encode()
for number in range(1, 30):
    try: os.write(number, CLAIM)
    except OSError: pass
`;
const REPORTED = ['imports', 'layer', 'parameters', 'python', 'resolved', 'result', 'source'];

/**
 * A program may forge its own parameters in its report, but neither the imports of a worker nor the folders to be
 * mounted.
 */
async function forgedReport(driver: EscapeDriver): Promise<string[]> {
  const ends = ['os._exit(0)', 'os.kill(os.getppid(), 9)', 'os.fork() or os.setsid()\n', ''];
  const faults: string[] = [];
  for (const end of ends) {
    const content = `${CLAIM}${end}\ndef run():\n    return 1\n`;
    const { outcome } = await uploaded(
      driver,
      hostileZip([...driver.honest.slice(1), { name: 'src/program.py', content }]),
    );
    if (!outcome.ok) continue;
    const built = outcome.built as BuiltCode;
    const more = Object.keys(built).filter((name) => !REPORTED.includes(name));
    const named = built.imports.filter((name) => !['json', 'os'].includes(name));
    faults.push(...[...more, ...named].map((name) => `its own report names ${name}`));
    if (built.layer !== null || built.source === 'sources/other' || !/^3\.\d+$/.test(built.python ?? ''))
      faults.push('its own report names a folder');
  }
  return faults;
}

/**
 * Tries to read the operator's package index and token, which are in the environment of the process that resolves
 * requirements.
 */
async function variables(driver: EscapeDriver, { secret }: Traps): Promise<string[]> {
  const settings = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: `/none-such/${secret}/packages`, ESCAPE_TRAP: secret };
  const lines = [
    '${ESCAPE_TRAP}',
    'idna==${ESCAPE_TRAP}',
    'idna @ ${PIP_FIND_LINKS}',
    '--find-links $PIP_FIND_LINKS',
    'none-such==1.0',
  ];
  const faults: string[] = [];
  for (const line of lines) {
    const archive = hostileZip([...driver.honest, { name: 'requirements.txt', content: `${line}\n` }]);
    const { outcome, said } = await uploaded(driver, archive, settings);
    if (outcome.ok) faults.push(`the requirement ${line} was taken`);
    if (said.includes(secret)) faults.push(`a secret of the operator is in what the build of ${line} says`);
  }
  return faults;
}

async function setupPy(driver: EscapeDriver, traps: Traps): Promise<string[]> {
  const index = join(traps.folder, 'sdists');
  const project = join(index, 'evil-1.0');
  mkdirSync(project, { recursive: true });
  const touch = `open(${JSON.stringify(join(traps.folder, 'setup-ran'))}, "w").close()\nprint("setup.py runs")\n`;
  writeFileSync(join(project, 'setup.py'), `${touch}import setuptools\nsetuptools.setup(name="evil", version="1.0")\n`);
  writeFileSync(join(project, 'PKG-INFO'), 'Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n');
  spawnSync('tar', ['-C', index, '-czf', join(index, 'evil-1.0.tar.gz'), 'evil-1.0']);
  const archive = hostileZip([...driver.honest, { name: 'requirements.txt', content: 'evil==1.0\n' }]);
  const { outcome, said } = await uploaded(driver, archive, { PIP_NO_INDEX: '1', PIP_FIND_LINKS: index });
  const faults = outcome.ok ? ['a package without a wheel was installed'] : [];
  if (existsSync(join(traps.folder, 'setup-ran')) || said.includes('setup.py runs')) faults.push('setup.py was run');
  return faults;
}

async function hostileWheel(driver: EscapeDriver, traps: Traps): Promise<string[]> {
  const index = join(traps.folder, 'wheels');
  mkdirSync(index, { recursive: true });
  const metadata = 'Metadata-Version: 2.1\nName: wicked\nVersion: 1.0\n';
  const wheel = 'Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const steal = `import os; print(open(${JSON.stringify(traps.hints.paths[0])}).read())`;
  const touch = `import os; open(${JSON.stringify(join(traps.folder, 'pth-ran'))}, "w").close()`;
  const common: HostileEntry[] = [
    { name: 'wicked.py', content: 'x = 1\n' },
    { name: 'wicked.pth', content: `${steal}\n${touch}\n` },
    { name: 'wicked-1.0.dist-info/METADATA', content: metadata },
    { name: 'wicked-1.0.dist-info/WHEEL', content: wheel },
    { name: 'wicked-1.0.dist-info/RECORD', content: '' },
  ];
  const faults: string[] = [];
  for (const more of [[], [{ name: '../../../../../../../tmp/kethub-escaped', content: 'x' }]]) {
    writeFileSync(join(index, 'wicked-1.0-py3-none-any.whl'), hostileZip([...common, ...more]));
    const requirements = { name: 'requirements.txt', content: `wicked==1.0\n` };
    const archive = hostileZip([...driver.honest, requirements, { name: `src/n${more.length}.py` }]);
    const { said } = await uploaded(driver, archive, { PIP_NO_INDEX: '1', PIP_FIND_LINKS: index });
    if (said.includes(traps.secret)) faults.push('a secret of the machine is in the log of the build');
    if (existsSync(join(traps.folder, 'pth-ran'))) faults.push('code of a wheel was run outside');
    if (existsSync('/tmp/kethub-escaped')) faults.push('a wheel has written to /tmp of the machine');
  }
  return faults;
}

/** Lists the folders where uploads are unpacked, drafts included. */
function sources(driver: EscapeDriver): string {
  return driver.folders
    .flatMap((folder) => ['sources', 'drafts'].map((name) => join(folder, name)))
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
    .toSorted()
    .join('\n');
}
