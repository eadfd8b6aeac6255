import sharp from 'sharp';
import { expect, test } from 'vitest';
import { decodeImage } from './decode-image.ts';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } }).png({ progressive: true });

test('exactly 40 megapixels are taken', async () => {
  const { mediaType } = await decodeImage(await picture(8_000, 5_000).toBuffer());
  expect(mediaType).toBe('image/png');
});

test('uploads that pile up are sent away instead of filling the memory, and later ones are taken again', async () => {
  const bytes = await picture(2, 2).toBuffer();
  const answers = await Promise.allSettled(Array.from({ length: 40 }, () => decodeImage(bytes)));
  const refused = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason as unknown);
  expect(refused).toHaveLength(8);
  expect(refused).toEqual(refused.map(() => expect.objectContaining({ status: 429 })));
  expect((await decodeImage(bytes)).mediaType).toBe('image/png');
});

test('one that cannot be decoded does not hold up the next', async () => {
  const whole = await picture(2, 2).toBuffer();
  const [broken, next] = await Promise.allSettled([decodeImage(whole.subarray(0, 40)), decodeImage(whole)]);
  expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'invalid-image' } });
  expect(next).toMatchObject({ status: 'fulfilled' });
});
