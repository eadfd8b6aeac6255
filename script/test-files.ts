import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';

// Test files that a run treats differently from all others. `npm test -- test/documentation` finds names that are stale.

/**
 * Tests that take minutes. They begin next: one that begins last is waited for while nothing else is left to do. Each has
 * a process of its own.
 */
export const LONGEST = [
  'packages/runtime/src/escapes/escapes.test.ts',
  'apps/server/src/people/authorization/matrix.test.ts',
  'apps/server/src/running/workflows/workflow-service.test.ts',
  'test/ket.test.ts',
];

/** Tests that begin after these, because each takes most of a minute. */
export const LONG = [
  'packages/runtime/src/build/build.test.ts',
  'test/containers.test.ts',
  'apps/server/src/catalog/implementations/importing/importing.test.ts',
  'apps/server/src/catalog/implementations/transport/content.test.ts',
  'apps/server/src/running/gateway/managed-service.test.ts',
  'apps/server/src/running/workflows/workflow-rules.test.ts',
  'apps/server/src/running/executions/lost-answer.test.ts',
  'packages/runtime/src/runner.test.ts',
  'packages/runtime/src/warm.test.ts',
  'packages/runtime/src/contract.test.ts',
  'packages/runtime/src/containers.test.ts',
  'packages/runtime/src/limits.test.ts',
];

/** Tests that measure the memory of their process, or replace modules or the folder of temporary files for it. */
export const ALONE = [
  'apps/server/src/catalog/datapools/files.test.ts',
  'apps/server/src/catalog/on-premise/streams.test.ts',
  'apps/server/src/foundation/storage/blob-stores.test.ts',
  'apps/server/src/people/identity/base/passwords.test.ts',
  'apps/server/src/people/identity/embedded/equal-work.test.ts',
  'apps/server/src/running/executions/tags.test.ts',
];

/** The longest deep tests. */
export const LONGEST_DEEP = [
  'test/fuzz.deep.test.ts',
  'apps/dashboard/test/every-role.deep.test.ts',
  // It waits for downloads, which corpus.deep.test.ts then finds.
  'packages/runtime/src/pythons/pythons.deep.test.ts',
  'packages/runtime/src/escapes/escapes-container.deep.test.ts',
  'packages/runtime/src/build/packages.deep.test.ts',
  'packages/runtime/src/build/images.deep.test.ts',
  'test/examples.deep.test.ts',
  'apps/dashboard/test/modeller-elements.deep.test.ts',
  'test/faults.deep.test.ts',
  'apps/dashboard/test/every-screen.deep.test.ts',
  'test/corpus.deep.test.ts',
  'test/processes.deep.test.ts',
  'test/documented-commands.deep.test.ts',
  'test/git-process.deep.test.ts',
  'apps/server/src/people/accounts/deletion-kill.deep.test.ts',
  'packages/runtime/src/slurm/slurm.deep.test.ts',
  'apps/server/src/backup/backup.deep.test.ts',
  'apps/dashboard/test/lists.deep.test.ts',
  'apps/server/src/running/workflows/large-instance.deep.test.ts',
  'packages/runtime/src/full-disk.deep.test.ts',
  'test/git-kills.deep.test.ts',
  'test/git-service-kills.deep.test.ts',
  'test/serve-engine.deep.test.ts',
  'apps/dashboard/test/foreign-files.deep.test.ts',
  'test/standstill.deep.test.ts',
  'apps/dashboard/test/firefox.deep.test.ts',
];

/** Deep tests that each run has; of the others it has a quarter. */
export const IN_EACH_RUN = [
  'test/fuzz.deep.test.ts',
  'apps/dashboard/test/every-screen.deep.test.ts',
  'apps/dashboard/test/sizes.deep.test.ts',
  'apps/dashboard/test/sign-in.deep.test.ts',
  'apps/server/src/people/identity/keycloak/keycloak.deep.test.ts',
  'apps/server/src/running/workflows/large-instance.deep.test.ts',
  'packages/runtime/src/build/images.deep.test.ts',
  'packages/runtime/src/build/packages.deep.test.ts',
  'packages/runtime/src/escapes/escapes-container.deep.test.ts',
  'packages/runtime/src/full-disk.deep.test.ts',
  'test/examples.deep.test.ts',
];

const found = globSync('{apps,packages,test}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] });

/** All test files, relative to the root. */
export const testFiles: readonly string[] = found.map((file) => file.replaceAll(path.sep, '/')).toSorted();

/**
 * The test files whose text fits each of these patterns. Throws when none does: what they need would start for no test.
 */
export function testFilesWith<Name extends string>(patterns: Readonly<Record<Name, RegExp>>): Record<Name, string[]> {
  const texts = testFiles.map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
  const having = (pattern: RegExp): string[] => texts.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
  const found = Object.entries<RegExp>(patterns).map(([name, pattern]) => [name, having(pattern)] as const);
  for (const [name, files] of found)
    if (files.length === 0) throw new Error(`No test file asks for ${name} any more. Correct it in script/test.ts.`);
  return Object.fromEntries(found) as Record<Name, string[]>;
}

/**
 * Parts of paths among these arguments that choose no test file of a kind, each with a reason. A word after an option,
 * as in `-t name`, may be its value and is not judged.
 */
export function chooseNothing(chosen: readonly string[], kind: 'usual' | 'deep'): string[] {
  return chosen
    .filter((part, at) => !part.startsWith('-') && chosen[at - 1]?.startsWith('-') !== true)
    .flatMap((part) => {
      const wanted = path.relative(root, path.resolve(root, part.replace(/:\d+$/, ''))).toLowerCase();
      const kinds = testFiles.filter((file) => file.toLowerCase().includes(wanted)).map(kindOf);
      if (kinds.includes(kind)) return [];
      const other = kinds.includes('deep') ? 'deep' : kinds[0];
      return [`${part}: ${other === undefined ? 'no test file has this in its path' : OTHERWISE[other](part)}`];
    });
}

const OTHERWISE = {
  usual: (part: string) => `its tests are not deep. Run them with: npm test -- ${part}`,
  deep: (part: string) => `its tests are deep. Run them with: npm run test:deep -- ${part}`,
  conformance: () => 'its tests need a real cluster. Run them with npm run conformance:… (package.json)',
};

function kindOf(file: string): keyof typeof OTHERWISE {
  if (file.endsWith('.deep.test.ts')) return 'deep';
  return file.endsWith('.conformance.test.ts') ? 'conformance' : 'usual';
}
