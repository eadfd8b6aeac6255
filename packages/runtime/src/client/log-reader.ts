import { open } from 'node:fs/promises';
import { errorCode } from '../errors.ts';

const MOST_BYTES = 1024 * 1024;
const NEW_LINE = 10;

/**
 * Reads whole lines of a log from a position on, at most 1 MiB. It reads the file itself, so it needs no running
 * runner.
 */
export async function readLines(path: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { bytes: Buffer.alloc(0), nextByte: fromByte };
    throw error;
  }
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.max(0, Math.min(MOST_BYTES, size - fromByte)));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, fromByte);
    const bytes = buffer.subarray(0, buffer.subarray(0, bytesRead).lastIndexOf(NEW_LINE) + 1);
    return { bytes, nextByte: fromByte + bytes.length };
  } finally {
    await file.close();
  }
}
