import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jpegOf, overwritten } from '../../testing/jpegs.ts';
import { isWholeJpeg } from './check-jpeg.ts';
import { decodeImage } from './decode-image.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-image-'));
});
afterAll(() => rm(folder, { recursive: true }));

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } }).png({ progressive: true });
let count = 0;
const target = () => path.join(folder, `clean-${count++}`);
async function file(bytes: Buffer): Promise<string> {
  const name = path.join(folder, `upload-${count++}`);
  await writeFile(name, bytes);
  return name;
}

test('exactly 40 megapixels are taken', async () => {
  expect(await decodeImage(await file(await picture(8_000, 5_000).toBuffer()), target())).toBe('image/png');
});

test('uploads that pile up are sent away instead of being waited for, and later ones are taken again', async () => {
  const upload = await file(await picture(2, 2).toBuffer());
  const answers = await Promise.allSettled(Array.from({ length: 40 }, () => decodeImage(upload, target())));
  const refused = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason as unknown);
  expect(refused).toHaveLength(8);
  expect(refused).toEqual(refused.map(() => expect.objectContaining({ status: 429 })));
  expect(await decodeImage(upload, target())).toBe('image/png');
});

test('one that cannot be decoded does not hold up the next', async () => {
  const whole = await picture(2, 2).toBuffer();
  const [half, all] = [await file(whole.subarray(0, 40)), await file(whole)];
  const [broken, next] = await Promise.allSettled([decodeImage(half, target()), decodeImage(all, target())]);
  expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'invalid-image' } });
  expect(next).toMatchObject({ status: 'fulfilled' });
});

test('a damaged JPEG that the decoder takes is refused, and its check blocks nothing', async () => {
  const jpeg = await jpegOf('noise', { width: 2_400, height: 2_400 });
  const damaged = await file(overwritten(jpeg, 3, 'zero'));
  await expect(sharp(damaged, { failOn: 'warning' }).raw().toBuffer()).resolves.toBeInstanceOf(Buffer);
  const start = performance.now();
  expect(isWholeJpeg(jpeg)).toBe(true);
  const alone = performance.now() - start;
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  try {
    await expect(decodeImage(damaged, target())).rejects.toMatchObject({ code: 'invalid-image' });
    expect(await decodeImage(await file(jpeg), target())).toBe('image/jpeg');
  } finally {
    clearInterval(timer);
  }
  expect(longest).toBeLessThan(alone);
});
