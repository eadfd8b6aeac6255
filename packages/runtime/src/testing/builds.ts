import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { createBuilder, type Builder, type BuildOutcome } from '../build/index.ts';
import type { Code } from '../index.ts';
import { openBench, type Bench } from './bench.ts';

/** A data folder with a runner and a builder of its own, which installs packages from PyPI. */
export interface Builds {
  readonly bench: Bench;
  /** Builds a service of these files, and returns what the builder said. Another builder of the folder may do it. */
  build(
    files: Readonly<Record<string, string>>,
    by?: Builder,
  ): Promise<BuildOutcome & { log: string[]; warnings: string[] }>;
  /** The code of a build. Throws the problem of one that failed. */
  codeOf(outcome: BuildOutcome): Code;
  /** Another builder of the same folder. */
  another(): Builder;
  close(): Promise<void>;
}

export async function openBuilds(): Promise<Builds> {
  const bench = await openBench();
  const another = (): Builder => createBuilder({ dataDir: bench.dataDir, runtime: bench.runtime });
  const builder = another();
  return {
    bench,
    async build(files, by = builder) {
      const zip = new ZipFile();
      for (const [name, text] of Object.entries({ 'src/__init__.py': '', ...files }))
        zip.addBuffer(Buffer.from(text), name);
      zip.end();
      const archive = await buffer(zip.outputStream);
      const log: string[] = [];
      const warnings: string[] = [];
      const outcome = await by.build(
        Readable.from([archive]),
        createHash('sha256').update(archive).digest('hex'),
        ({ severity, message }) => (severity === 'WARNING' ? warnings : log).push(message),
        new AbortController().signal,
      );
      return { ...outcome, log, warnings };
    },
    codeOf(outcome) {
      if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.detail}`);
      const { source, layer, imports } = outcome.built;
      const folder = (path: string): string => join(bench.dataDir, 'runtime', path);
      return { sourceDir: folder(source), layerDir: layer === null ? null : folder(layer), imports };
    },
    another,
    close: () => bench.close(),
  };
}
