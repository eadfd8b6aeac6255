import { readConfiguration } from '@kethub/server';
import { buildOwnRoot, makeRunnerPaths, RootNotBuilt } from '@kethub/runtime/root';

// node script/sandbox-root.ts [--other-python]: builds the root that sandboxes of this installation see as /usr anew,
// from packages of Debian.
const { dataDir } = readConfiguration(process.env);
try {
  const otherPython = process.argv.includes('--other-python');
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const id = await buildOwnRoot(makeRunnerPaths(dataDir).runtimeDir, { otherPython, say });
  process.stdout.write(id === null ? 'Another process is building it.\n' : 'The next start of Kethub uses it.\n');
} catch (error) {
  if (!(error instanceof RootNotBuilt)) throw error;
  process.stderr.write(`${error.message}\n${error.remedy}\n`);
  process.exitCode = 1;
}
