import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Longest file name that file systems accept, in bytes, `.json` included. A longer one is refused. */
const NAME_BYTES = 255;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The input does not fit the runtime. The message is for its sender. */
export class InputRefused extends Error {
  override readonly name = 'InputRefused';
}

/**
 * Writes one file `<property>.json` for every top-level property, with exactly the text that was sent (numbers keep
 * every digit). Of a repeated property the last value counts, as in JSON parsers.
 * @param input a valid JSON object.
 * @returns the names of the files.
 * @throws InputRefused when a property cannot be the name of a file.
 */
export function writeInputFiles(input: Buffer, folder: string): string[] {
  const files = new Set<string>();
  for (const { name, value } of membersOf(input)) {
    const file = `${name}.json`;
    if (/[/\0]/.test(name) || name === '' || !name.isWellFormed() || Buffer.byteLength(file) > NAME_BYTES)
      throw new InputRefused(
        `The property ${JSON.stringify(name.slice(0, 100))} cannot be handed over as the file <property>.json. Name it otherwise.`,
      );
    writeFileSync(join(folder, file), value, { mode: 0o644 });
    files.add(file);
  }
  return [...files];
}

/** Finds the top-level properties without parsing their values. */
function* membersOf(input: Buffer): Generator<{ name: string; value: Buffer }> {
  let depth = 0;
  let inString = false;
  let from = -1;
  let name: string | null = null;
  for (let index = 0; index < input.length; index++) {
    const byte = input[index];
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth === 1) from = index + 1;
    } else if (depth === 1 && byte === COLON) {
      name = String(JSON.parse(input.toString('utf8', from, index)));
      from = index + 1;
    } else if (byte === 0x7d || byte === 0x5d || (depth === 1 && byte === COMMA)) {
      if (byte !== COMMA) depth -= 1;
      if (name === null || depth > 1 || (depth === 1 && byte !== COMMA)) continue;
      yield { name, value: trimmed(input.subarray(from, index)) };
      name = null;
      from = index + 1;
    }
  }
}

/** Removes the white space of JSON around a value. */
function trimmed(bytes: Buffer): Buffer {
  const isSpace = (byte: number | undefined): boolean =>
    byte === 0x20 || (byte !== undefined && byte >= 9 && byte <= 13);
  let [start, end] = [0, bytes.length];
  while (start < end && isSpace(bytes[start])) start += 1;
  while (end > start && isSpace(bytes[end - 1])) end -= 1;
  return bytes.subarray(start, end);
}
