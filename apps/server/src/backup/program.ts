import path from 'node:path';
import { readConfiguration, Refusal } from '../foundation/config/index.ts';
import { programVersion } from '../foundation/process/index.ts';
import { backUp } from './backup.ts';
import { restore } from './restore.ts';

// `node program.ts backup|restore <folder>`, with the settings of the platform in the environment. Prints the manifest;
// ends with 1 and a sentence when it cannot be done.
// Files are for this user alone, also those that Git and pg_dump write.
process.umask(0o077);
const [command, folder = ''] = process.argv.slice(2);
try {
  const configuration = readConfiguration(process.env);
  const at = path.resolve(folder);
  const manifest =
    command === 'restore' ? await restore(configuration, at) : await backUp(configuration, at, programVersion());
  process.stdout.write(`${JSON.stringify(manifest)}\n`);
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(code))
    return 'The disk is full. Make space, remove what was written so far, and begin again.';
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
