import { globSync } from 'node:fs';

/** Deep tests. A usual run takes every other one: together they take more time than a usual run has. */
const IN_TURN = ['{apps,packages}/*/{src,test}/**/*.deep.test.ts', 'test/**/*.deep.test.ts'];
/** Those that every run has: requests that a description allows, each screen as a whole, the sizes of files, the sign-in. */
const ALWAYS = /\/(?:fuzz|every-screen|sizes|sign-in)\.deep\.test\.ts$/;

/** The files that a usual run of all deep tests leaves out. Two seeds that follow each other have all of them. */
export function leftOut(seed: number): readonly string[] {
  const files = globSync(IN_TURN).filter((file) => !ALWAYS.test(file));
  return files.toSorted().filter((_, at) => at % 2 !== seed % 2);
}
