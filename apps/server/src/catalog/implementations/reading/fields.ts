/** Reads texts that end with U+0000, as they arrive. Keeps at most the first `most` bytes of each. */
export async function readFields(chunks: AsyncIterable<Buffer>, most: number): Promise<string[]> {
  const fields: string[] = [];
  let parts: Buffer[] = [];
  let kept = 0;
  const keep = (part: Buffer): void => {
    const shown = part.subarray(0, most - kept);
    if (shown.length > 0) parts.push(shown);
    kept += shown.length;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, from)) {
      keep(chunk.subarray(from, end));
      fields.push(textOf(Buffer.concat(parts)));
      [parts, kept, from] = [[], 0, end + 1];
    }
    keep(chunk.subarray(from));
  }
  return fields;
}

/** A character that the end has cut through is left out. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true });
}
