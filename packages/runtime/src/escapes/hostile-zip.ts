import { crc32 } from 'node:zlib';

/** An entry that no honest program writes. */
export interface HostileEntry {
  name: string | Buffer;
  content?: string | Buffer;
  /** Unix mode with the type of the file. Default: a regular file. */
  mode?: number;
  /** General purpose bits. 1 marks it as encrypted. */
  flags?: number;
  method?: number;
  /** Bytes that it claims to unpack to. */
  claims?: number;
  /** The entry whose bytes it uses instead of its own. */
  sharesWith?: number;
}

/** Writes a ZIP (APPNOTE.TXT 4.3) without checking that it makes sense. */
export function hostileZip(entries: readonly HostileEntry[]): Buffer {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let position = 0;
  for (const entry of entries) {
    if (entry.sharesWith !== undefined) {
      offsets.push(offsets[entry.sharesWith] ?? 0);
      continue;
    }
    offsets.push(position);
    const local = Buffer.concat([header(0x04034b50, entry, 0), nameOf(entry), contentOf(entry)]);
    parts.push(local);
    position += local.length;
  }
  const directory = Buffer.concat(
    entries.map((entry, index) => Buffer.concat([header(0x02014b50, entry, offsets[index] ?? 0), nameOf(entry)])),
  );
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(position, 16);
  return Buffer.concat([...parts, directory, end]);
}

function nameOf({ name }: HostileEntry): Buffer {
  return typeof name === 'string' ? Buffer.from(name) : name;
}

function contentOf({ content = '' }: HostileEntry): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : content;
}

/** The local header of an entry, or its header in the central directory. */
function header(signature: number, entry: HostileEntry, offset: number): Buffer {
  const central = signature === 0x02014b50;
  const content = contentOf(entry);
  const bytes = Buffer.alloc(central ? 46 : 30);
  const at = central ? 6 : 4;
  bytes.writeUInt32LE(signature, 0);
  if (central) bytes.writeUInt16LE(0x031e, 4); // made on Unix
  bytes.writeUInt16LE(20, at);
  bytes.writeUInt16LE(entry.flags ?? 0, at + 2);
  bytes.writeUInt16LE(entry.method ?? 0, at + 4);
  bytes.writeUInt32LE(crc32(content), at + 10);
  bytes.writeUInt32LE(content.length, at + 14);
  bytes.writeUInt32LE(entry.claims ?? content.length, at + 18);
  bytes.writeUInt16LE(nameOf(entry).length, at + 22);
  if (!central) return bytes;
  bytes.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
  bytes.writeUInt32LE(offset, 42);
  return bytes;
}
