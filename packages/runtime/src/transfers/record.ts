import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { errorCode } from '../errors.ts';

/** Keeps a record so that it is whole on the disk, or the one before. Without `flush` that is not certain after a crash of the machine. */
export function keepRecord(file: string, record: object, flush = true): void {
  writeFileSync(`${file}.tmp`, JSON.stringify(record), { mode: 0o600, flush });
  renameSync(`${file}.tmp`, file);
}

/** Reads what `keepRecord` has written. Null when there is none. */
export function readRecord<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
