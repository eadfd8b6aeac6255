import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { planEntry } from './archive-entry.ts';
import { type AskedPython, PYTHON_FILES, pythonAskedIn, TEXT_BYTES } from './asked-python.ts';
import { DEFAULT_UNPACK_LIMITS } from './unpack.ts';

/** A stored archive. */
export interface StoredArchive {
  bytes: number;
  /** Bytes from `from` to `to`, both inclusive. */
  read(from: number, to: number): Promise<Readable>;
}

/** Bytes at the end of an archive that are read at once. They hold the directory of some 10,000 entries. */
const TAIL_BYTES = 2 ** 20;

/**
 * Finds the Python that a stored archive asks for. It reads the directory and at most two files, and unpacks nothing.
 * Null when the archive asks for none, and when the build refuses it anyway.
 */
export async function pythonOfArchive(archive: StoredArchive): Promise<AskedPython | null> {
  const from = Math.max(0, archive.bytes - TAIL_BYTES);
  const tail = archive.bytes === 0 ? Buffer.alloc(0) : await buffer(await archive.read(from, archive.bytes - 1));
  const source = new ArchiveReader(archive, tail);
  try {
    const zip = await fromRandomAccessReaderPromise(source, archive.bytes, { autoClose: false, decodeStrings: false });
    return pythonAskedIn(await textsOf(zip));
  } catch (error) {
    // yauzl, zlib and planEntry refuse what the build refuses as well, with the reason. Only a read error is our
    // failure.
    if (source.failure !== null) throw source.failure;
    if (error instanceof Error) return null;
    throw error;
  }
}

async function textsOf(zip: ZipFile): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (zip.entryCount > DEFAULT_UNPACK_LIMITS.files) return texts;
  for await (const entry of zip.eachEntry()) {
    const planned = planEntry(entry);
    if (planned.kind === 'FILE' && (PYTHON_FILES as readonly string[]).includes(planned.path))
      texts.set(planned.path, await beginningOf(zip, entry));
  }
  return texts;
}

async function beginningOf(zip: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= TEXT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, TEXT_BYTES).toString();
}

/** Reads the end of an archive from memory, and everything before it from the store. */
class ArchiveReader extends RandomAccessReader {
  failure: Error | null = null;
  private readonly archive: StoredArchive;
  private readonly tail: Buffer;

  constructor(archive: StoredArchive, tail: Buffer) {
    super();
    this.archive = archive;
    this.tail = tail;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const at = position - (this.archive.bytes - this.tail.length);
    if (at < 0) {
      super.read(target, offset, length, position, callback);
      return;
    }
    this.tail.copy(target, offset, at, at + length);
    setImmediate(callback, null);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const stream = new PassThrough();
    this.archive.read(start, end - 1).then(
      (source) => {
        source.on('error', (error) => this.fail(stream, error)).pipe(stream);
        stream.once('close', () => source.destroy());
      },
      (error: unknown) => this.fail(stream, error instanceof Error ? error : new Error(String(error))),
    );
    return stream;
  }

  private fail(stream: PassThrough, error: Error): void {
    this.failure = error;
    stream.destroy(error);
  }
}
