import sharp, { type JpegOptions } from 'sharp';
import { randomFrom } from '../../../../test/faults/random.ts';

const SAMPLES = {
  noise: (_x: number, _y: number, chance: number) => chance * 256,
  /** Waves with grain, like cloth or leaves. */
  texture: (x: number, y: number, chance: number) =>
    128 + 60 * Math.sin(x / 9) + 40 * Math.sin(y / 5 + x / 30) + (chance - 0.5) * 30,
  gradient: (x: number, y: number) => (x + y / 2) % 256,
};
export type Motif = keyof typeof SAMPLES;
export const motifs = Object.keys(SAMPLES) as Motif[];

export interface Shape {
  readonly width: number;
  readonly height: number;
  readonly space?: 'srgb' | 'b-w' | 'cmyk';
}

/** A JPEG that shows the motif. */
export function jpegOf(motif: Motif, { width, height, space = 'srgb' }: Shape, options: JpegOptions = {}) {
  const random = randomFrom(7);
  const data = new Uint8ClampedArray(width * height * 3);
  for (let at = 0; at < data.length; at++)
    data[at] = SAMPLES[motif](Math.floor(at / 3) % width, Math.floor(at / 3 / width), random());
  const raw = sharp(data, { raw: { width, height, channels: 3 } });
  return raw.toColourspace(space).jpeg(options).toBuffer();
}

/** The same JPEG with 30 random bytes or 200 to 400 zero bytes somewhere in its first scan. */
export function overwritten(jpeg: Buffer, seed: number, by: 'random' | 'zero'): Buffer {
  const random = randomFrom(seed);
  let from = 2;
  while (jpeg[from + 1] !== 0xda) from += 2 + jpeg.readUInt16BE(from + 2);
  from += 2 + jpeg.readUInt16BE(from + 2);
  const length = by === 'random' ? 30 : 200 + Math.floor(random() * 200);
  const damaged = Buffer.from(jpeg);
  const at = from + Math.floor(random() * (jpeg.length - 2 - from - length));
  for (let index = 0; index < length; index++) damaged[at + index] = by === 'random' ? random() * 256 : 0;
  return damaged;
}
