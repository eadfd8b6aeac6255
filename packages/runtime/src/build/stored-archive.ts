import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';

/** A stored archive. */
export interface StoredArchive {
  bytes: number;
  /** Bytes from `from` to `to`, both inclusive. */
  read(from: number, to: number): Promise<Readable>;
}

/** Bytes at the end of an archive that are read at once. They hold the directory of some 10,000 entries. */
const TAIL_BYTES = 2 ** 20;

/**
 * Opens a stored archive without unpacking it, and passes it to `use`. Returns null when yauzl, zlib or `use` refuse what
 * the build refuses as well. Only a read error is a failure.
 */
export async function withArchive<T>(archive: StoredArchive, use: (zip: ZipFile) => Promise<T>): Promise<T | null> {
  const from = Math.max(0, archive.bytes - TAIL_BYTES);
  const tail = archive.bytes === 0 ? Buffer.alloc(0) : await buffer(await archive.read(from, archive.bytes - 1));
  const source = new ArchiveReader(archive, tail);
  try {
    const options = { autoClose: false, decodeStrings: false };
    return await use(await fromRandomAccessReaderPromise(source, archive.bytes, options));
  } catch (error) {
    if (source.failure !== null) throw source.failure;
    if (error instanceof Error) return null;
    throw error;
  }
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
