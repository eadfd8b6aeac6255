import { strFromU8, unzipSync } from 'fflate';
import { jsonOf, Unfinished, type Values } from './values.ts';

/** Bytes of a file of an example after unpacking. A larger one is left out. */
const LARGEST_FILE = 4 * 1024 * 1024;
const EXAMPLE = /^input\/([^/]+)\.json$/;

/** The example input in the source of a service: `input/<parameter>.json`. null where there is none. */
export function exampleIn(zip: Uint8Array): Values | null {
  const files = unzipSync(zip, {
    filter: ({ name, originalSize }) => EXAMPLE.test(name) && originalSize < LARGEST_FILE,
  });
  const members = Object.entries(files).flatMap(([name, content]): [string, unknown][] => {
    const value = jsonOf(strFromU8(content));
    const parameter = EXAMPLE.exec(name)?.[1];
    return parameter === undefined || value === undefined || value instanceof Unfinished ? [] : [[parameter, value]];
  });
  return members.length === 0 ? null : Object.fromEntries(members);
}
