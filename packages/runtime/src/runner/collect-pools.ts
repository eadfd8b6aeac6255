import { messageOf } from '../errors.ts';
import type { Limits, OutputFile, WrittenPool } from '../types.ts';
import { collect, POOL_FILES } from './collect.ts';
import type { Run } from './driver.ts';
import { limitCause, poolCause, type Verdict } from './outcome.ts';

/**
 * Reads the files that a successful program has left in its writable data pools. Result files and pools together share
 * the limits of the output. A pool counts as a whole: one entry that cannot be a file of a data pool makes the
 * execution FAILED. Call it only when every process of the sandbox is dead.
 */
export function collectPools(
  verdict: Verdict,
  run: Pick<Run, 'pools' | 'uid'>,
  files: readonly OutputFile[],
  limits: Limits,
): { verdict: Verdict; dataPools?: WrittenPool[] } {
  const { pools = [], uid } = run;
  if (verdict.outcome !== 'SUCCEEDED' || pools.length === 0) return { verdict };
  const counted = files.filter(({ isResult }) => isResult !== true);
  const left = {
    outputFiles: limits.outputFiles - counted.length,
    outputBytes: limits.outputBytes - counted.reduce((sum, { bytes }) => sum + bytes, 0),
  };
  const dataPools: WrittenPool[] = [];
  for (const { parameter, path } of pools) {
    try {
      const found = collect(path, left, uid, null, POOL_FILES);
      if (found.exceeded !== null) return { verdict: failed(limitCause('Output', tooMuch(limits))) };
      const [first] = found.refused;
      if (first !== undefined) return { verdict: failed(poolCause(parameter, first)) };
      left.outputFiles -= found.files.length;
      left.outputBytes -= found.bytes;
      dataPools.push({ parameter, files: found.files });
    } catch (error) {
      console.error(`the data pool at ${path} could not be read: ${messageOf(error)}`);
      return { verdict: failed(poolCause(parameter, 'It could not be read.')) };
    }
  }
  return { verdict, dataPools };
}

function failed(cause: Verdict['cause']): Verdict {
  return { outcome: 'FAILED', cause };
}

function tooMuch({ outputFiles, outputBytes }: Limits): string {
  return (
    `The result files and the data pools that the program may change exceed the limit of the output together. It is ` +
    `${outputFiles} files and ${outputBytes} bytes. No data pool was changed.`
  );
}
