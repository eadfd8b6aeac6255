import { open, readFile } from 'node:fs/promises';
import { limits } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import { createThread } from '../../foundation/process/index.ts';

type MediaType = 'image/jpeg' | 'image/png';

/**
 * JPEG quality of stored images, at which no loss is visible in a profile image. Optimized Huffman tables would need
 * the whole image in memory: 252 MB instead of 24 MB for 40 megapixels.
 */
const JPEG = { quality: 90, optimizeCoding: false };
/** Seconds for one image; then it is refused as damaged. */
const DECODE_SECONDS = 20;
/** Images that may wait or be decoded; one more is refused with 429. */
const MOST_WAITING = 32;

/** Checks the JPEG in a file: up to 2 s for 5 MB. Beyond 20 s the image is refused. */
const checkJpeg = createThread<string, boolean>(new URL('check-jpeg-worker.ts', import.meta.url), {
  limitMs: DECODE_SECONDS * 1000,
  memoryMb: 64,
  waiting: 1,
});

/**
 * Decodes an image completely and encodes it again into `target`, in its format, upright, in sRGB and without metadata.
 * Returns its media type. Throws invalid-image if `source` is not a complete JPEG or PNG of at most 40 megapixels, and
 * too-many-requests.
 */
export function decodeImage(source: string, target: string): Promise<MediaType> {
  return serialized(async () => {
    const mediaType = await mediaTypeOf(source);
    if (!mediaType) throw new Problem('invalid-image', 'The file is neither a JPEG nor a PNG, judged by its content.');
    if (mediaType === 'image/png' && !endsAsPng(await readFile(source))) throw damaged();
    const sharp = await decoder();
    try {
      const { width, height } = await sharp(source, { limitInputPixels: false }).metadata();
      if (width * height > limits.profileImagePixels) {
        throw new Problem(
          'invalid-image',
          `The image has ${width} x ${height} pixels; at most 40 megapixels are taken.`,
        );
      }
      if (mediaType === 'image/jpeg') await refuseDamaged(source);
      // For truncated or corrupt data libjpeg only warns, and fills the rest with grey.
      const picture = sharp(source, { failOn: 'warning', limitInputPixels: limits.profileImagePixels })
        .timeout({ seconds: DECODE_SECONDS })
        .autoOrient();
      await (mediaType === 'image/jpeg' ? picture.jpeg(JPEG) : picture.png()).toFile(target);
      return mediaType;
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw damaged(error);
    }
  });
}

/** Throws invalid-image if the scans of the JPEG are damaged, which the decoder does not always notice. */
async function refuseDamaged(source: string): Promise<void> {
  const checked = await checkJpeg(source);
  if (checked === 'BUSY' || checked === 'EXCEEDED')
    throw new Problem('invalid-image', 'The image takes too long to be checked.');
  if (!checked.answer) throw damaged();
}

function damaged(cause?: unknown): Problem {
  const detail = 'The image is damaged or not complete. Save it anew and send it again.';
  return new Problem('invalid-image', detail, { cause });
}

/** Returns whether the chunks end with IEND (PNG specification §5.3), which the decoder does not check. */
function endsAsPng(bytes: Buffer): boolean {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true;
  return false;
}

let prepared = false;

/** Loads the decoder on the first upload, because it takes 40 ms and 22 MB. */
async function decoder() {
  const { default: sharp } = await import('sharp');
  if (prepared) return sharp;
  // Only these two decoders are enabled, whatever the bytes pretend to be. They use one thread, so that an upload
  // does not slow executions down.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile'] });
  sharp.cache(false);
  sharp.concurrency(1);
  prepared = true;
  return sharp;
}

/** Media type by signature: ISO/IEC 10918-1 B.1.1.3 (SOI and the next marker), PNG specification §5.2. */
async function mediaTypeOf(file: string): Promise<MediaType | null> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    const head = buffer.subarray(0, bytesRead).toString('hex');
    if (head.startsWith('ffd8ff')) return 'image/jpeg';
    return head === '89504e470d0a1a0a' ? 'image/png' : null;
  } finally {
    await handle.close();
  }
}

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * Decodes one image at a time. 40 megapixels take 0.3 to 3 s, and 24 MB (170 MB if interlaced, progressive or rotated).
 * They occupy a thread of the pool that also reads files. Throws too-many-requests if too many wait.
 */
async function serialized<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= MOST_WAITING) {
    throw new Problem('too-many-requests', 'Too many images are being uploaded at the moment. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    });
  }
  waiting += 1;
  const mine = last.then(work);
  // The caller gets the error; the next image in the queue does not.
  last = mine.catch(() => undefined);
  try {
    return await mine;
  } finally {
    waiting -= 1;
  }
}
