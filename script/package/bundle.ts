import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { root } from '../run.ts';

/** Packages that the command line does without: the platform's own. `ket doctor` names its folder instead. */
const EXTERNAL = ['better-sqlite3', '@kethub/runtime/escapes'];
/** Files that the program reads while it runs, at the same paths as in the repository. */
const DATA = ['apps/cli/starter', 'apps/cli/serve-page', 'packages/runtime/python'];
/** The folder of the JavaScript in the package. */
const CODE = 'dist';

/** The oldest Node that runs the package. */
const NODE = { major: 22, minor: 15 } as const;

/**
 * The launcher. A cache of compiled code makes every start but the first one quicker. An older Node gets a sentence: the
 * syntax and imports of this file are those of Node 16.
 */
const LAUNCHER = `#!/usr/bin/env node
import module from 'node:module';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > ${NODE.major} || (major === ${NODE.major} && minor >= ${NODE.minor})) {
  module.enableCompileCache();
  await import('../${CODE}/main.js');
} else {
  console.error(
    \`This command needs Node from ${NODE.major}.${NODE.minor} on; \${process.execPath} is Node \${process.versions.node}.\\n\` +
      'Put a newer Node into PATH, or install the Python package of ket, which brings its own.',
  );
  process.exitCode = 2;
}
`;

interface Bundle {
  readonly name: string;
  readonly version: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/**
 * Writes the command line without the platform into an empty folder: `bin/ket.js`, the code in one folder, and the files
 * that it reads. Needs Node from 22.15 on and no other package.
 */
export async function bundle(folder: string): Promise<Bundle> {
  const { name, version } = JSON.parse(readFileSync(path.join(root, 'apps/cli/package.json'), 'utf8')) as Manifest;
  const build = await rolldown({
    input: path.join(root, 'apps/cli/src/main.ts'),
    platform: 'node',
    external: EXTERNAL,
    treeshake: { moduleSideEffects: false, manualPureFunctions: ['Type', 'Request', 'nullable', 'worded'] },
    plugins: [sourcePaths()],
    logLevel: 'warn',
  });
  await build.write({ dir: path.join(folder, CODE), format: 'esm', minify: true, chunkFileNames: '[name]-[hash].js' });
  await build.close();
  mkdirSync(path.join(folder, 'bin'), { recursive: true });
  writeFileSync(path.join(folder, 'bin/ket.js'), LAUNCHER, { mode: 0o755 });
  for (const data of DATA)
    cpSync(path.join(root, data), path.join(folder, data), {
      recursive: true,
      filter: (file) => !/__pycache__|\.pyc$|\.test\.|\/tests?(?:\/|$)/.test(path.relative(root, file)),
    });
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  writeFileSync(path.join(folder, 'apps/cli/package.json'), `${JSON.stringify({ name, version })}\n`);
  writeFileSync(path.join(folder, 'README.md'), readme());
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifestOf({ name, version }), null, 2)}\n`);
  return { name, version };
}

function manifestOf({ name, version }: Bundle): object {
  return {
    name,
    version,
    description: 'The command line of Kethub: publish a folder of Python code as a service, and run it.',
    license: 'Apache-2.0',
    type: 'module',
    bin: { ket: 'bin/ket.js' },
    engines: { node: `>=${NODE.major}.${NODE.minor}` },
  };
}

/** The beginning of docs/cli.md, up to the first command that needs the repository. */
function readme(): string {
  return `# ket

Publishes a folder of Python code as a service on Kethub, and runs it.

    ket login https://kethub.example.org
    ket init my-service
    ket up my-service
    ket run my-service

\`ket --help\` lists the commands. Licence: Apache-2.0.
`;
}

/**
 * Gives each module the place that it has in the repository, below the folder of the package: there it finds its data
 * files. Only a lexical join makes a path of it, because the folder of the module itself is not there.
 */
function sourcePaths(): Plugin {
  return {
    name: 'places-of-modules',
    transform(code, id) {
      if (!code.includes('import.meta.dirname') && !code.includes('import.meta.url')) return null;
      if (id.includes('node_modules')) return null;
      const source = path.relative(root, id).replaceAll(path.sep, '/');
      return {
        code: code
          .replaceAll('import.meta.dirname', `(import.meta.dirname + '/../${path.posix.dirname(source)}')`)
          .replaceAll('import.meta.url', `new URL('../${source}', import.meta.url).href`),
      };
    },
  };
}
