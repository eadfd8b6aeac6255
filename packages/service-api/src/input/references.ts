/** Bytes of a reference to a data pool, with its grant. A longer value is refused where a data pool belongs. */
export const REFERENCE_BYTES = 4 * 1024;

/** A value of more than {@link REFERENCE_BYTES} bytes, in the place of one that was never parsed. */
export class LongValue {
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/** Parses a value that may refer to a data pool. A value that is too long for a reference is not parsed. */
export function parseReference(bytes: Buffer): unknown {
  return bytes.length > REFERENCE_BYTES ? new LongValue(bytes.length) : (JSON.parse(bytes.toString()) as unknown);
}
