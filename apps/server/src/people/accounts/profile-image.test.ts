import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '@kethub/contract';
import { markOrphan, sweepOrphans, claimBlob } from '../../foundation/storage/index.ts';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';
import { jpegOf, overwritten as overwrittenScan } from '../../testing/jpegs.ts';

const plain = (color: string, width = 40, height = 20) =>
  sharp({ create: { width, height, channels: 3, background: color } });
const jpeg = await plain('red').jpeg().toBuffer();
/** The marker EOI: whoever cuts an image off can append it. */
const END_OF_JPEG = Buffer.from([0xff, 0xd9]);
const png = await plain('blue').png().toBuffer();

describe.each(databases())('profile images on $name', ({ open }) => {
  let server: TestAccounts;
  beforeAll(async () => {
    server = await startTestAccounts(open);
  });
  afterAll(() => server.close());

  async function person(username: string) {
    const { id } = await server.addUser(username);
    const { access_token } = await server.signIn(username);
    const image = `${server.platform.addresses.api}/users/${id}/profile-image`;
    const send = (body: FormData | Buffer | string | null, headers: Record<string, string> = {}) =>
      fetch(`${server.platform.addresses.api}/me/profile-image`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}`, ...headers },
        body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
      });
    return {
      id,
      send,
      upload: (bytes: Buffer, name = 'me.jpg', type = 'image/jpeg') => send(form(bytes, name, type)),
      read: (headers: Record<string, string> = {}) => fetch(image, { headers }),
      remove: () => server.call('DELETE', '/me/profile-image', access_token),
    };
  }
  /** Number of stored files, of which each image takes one. */
  async function blobs(): Promise<number> {
    const folder = path.join(server.platform.configuration.dataDir, 'blobs');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  }

  test('an image is stored in its own format, judged by its bytes, and anyone may read it', async () => {
    const ada = await person('ada');
    expect((await ada.read()).status).toBe(204);
    // A PNG that claims to be a JPEG.
    const sent = await ada.upload(png, 'me.jpg', 'image/jpeg');
    expect([sent.status, await sent.text()]).toEqual([204, '']);
    const response = await ada.read();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('cache-control')).toBe('max-age=864000, must-revalidate');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const etag = response.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\da-f]{64}"$/);
    const stored = Buffer.from(await response.arrayBuffer());
    expect(await metadataOf(stored)).toMatchObject({ format: 'png', width: 40, height: 20 });

    const again = await ada.read({ 'if-none-match': etag });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    expect((await ada.upload(jpeg)).status).toBe(204);
    const replaced = await ada.read({ 'if-none-match': etag });
    expect([replaced.status, replaced.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    await replaced.arrayBuffer();
  });

  test('what was photographed stays, where and with what goes, and the picture stands upright', async () => {
    const photographer = await person('photographer');
    const withLocation = await plain('green', 40, 20)
      .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' } })
      .jpeg()
      .toBuffer();
    // Tag 0x8825 of the first directory leads to the place (EXIF 2.32 §4.6.3).
    expect((await sharp(withLocation).metadata()).exif?.includes(Buffer.from([0x25, 0x88]))).toBe(true);
    const photo = await plain('green', 40, 20)
      .withMetadata({ orientation: 6 })
      .withExif({
        IFD0: { Make: 'SECRETCAMERA', Orientation: '6' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
      })
      .jpeg()
      .toBuffer();
    expect(photo.includes('SECRETCAMERA')).toBe(true);
    expect((await photographer.upload(Buffer.concat([photo, Buffer.from('<script>SMUGGLED</script>')]))).status).toBe(
      204,
    );
    const stored = Buffer.from(await (await photographer.read()).arrayBuffer());
    for (const trace of ['SECRETCAMERA', 'Exif', 'GPS', 'SMUGGLED']) expect(stored.includes(trace)).toBe(false);
    const metadata = await metadataOf(stored);
    expect(metadata).toMatchObject({ format: 'jpeg', width: 20, height: 40 });
    expect(metadata.exif).toBeUndefined();

    const chunk = pngChunk('tEXt', Buffer.from('Comment\0SECRETCOMMENT'));
    const commented = Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
    expect((await photographer.upload(commented)).status).toBe(204);
    expect(Buffer.from(await (await photographer.read()).arrayBuffer()).includes('SECRETCOMMENT')).toBe(false);
  });

  const photo = { width: 320, height: 240 };
  const noise = Buffer.from(Array.from({ length: 4_000 }, (_none, index) => (index * 7919) % 251));
  const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
  test.each([
    ['nothing', () => Buffer.alloc(0)],
    ['a GIF named as JPEG', () => gif],
    ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')],
    ['a WebP', () => plain('red').webp().toBuffer()],
    ['noise behind the signature of JPEG', () => Buffer.concat([jpeg.subarray(0, 4), noise])],
    ['noise behind the signature of PNG', () => Buffer.concat([png.subarray(0, 8), noise])],
    ['half a JPEG', async () => half(await detailed('jpeg'))],
    ['half a PNG', async () => half(await detailed('png'))],
    ['half a JPEG with an end', async () => Buffer.concat([half(await detailed('jpeg')), END_OF_JPEG])],
    ['half a progressive JPEG with an end', async () => Buffer.concat([half(await progressive()), END_OF_JPEG])],
    ['a progressive JPEG with overwritten bytes', async () => overwritten(await progressive())],
    ['a JPEG of noise with 30 random bytes', async () => overwrittenScan(await jpegOf('noise', photo), 3, 'random')],
    [
      'a JPEG of noise with some hundred zero bytes',
      async () => overwrittenScan(await jpegOf('noise', photo), 3, 'zero'),
    ],
    ['a JPEG of cloth with 30 random bytes', async () => overwrittenScan(await jpegOf('texture', photo), 3, 'random')],
    ['a PNG with overwritten bytes', async () => overwritten(await detailed('png'))],
    ['a JPEG of 800 bytes that claims 8000 x 5000', () => withJpegSize(jpeg, 8_000, 5_000)],
    ['a PNG without its last chunk', () => png.subarray(0, -12)],
    ['a PNG whose last chunk is cut off', () => png.subarray(0, -1)],
    ['a PNG that unpacks to 900 megapixels', () => withSize(png, 30_000, 30_000)],
    ['a PNG just above 40 megapixels', () => withSize(png, 8_000, 5_001)],
    ['a PNG that ends early, of 40 megapixels', () => withSize(png, 8_000, 5_000)],
    ['one byte more than 5 MB', () => padded(limits.profileImageBytes + 1)],
    ['much more than 5 MB', () => padded(3 * limits.profileImageBytes)],
  ])('%s is refused, and the image before stays', async (_name, make) => {
    const careful = await person(`careful-${Math.random().toString(36).slice(2)}`);
    expect((await careful.upload(jpeg)).status).toBe(204);
    const before = (await careful.read()).headers.get('etag');
    const files = await blobs();
    const response = await careful.upload(await make());
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: expect.stringMatching(/\/invalid-image$/) });
    expect((await careful.read()).headers.get('etag')).toBe(before);
    expect(await blobs()).toBe(files);
  });

  test('exactly 5 MB is taken', async () => {
    const exact = await person('exact');
    expect((await exact.upload(padded(limits.profileImageBytes))).status).toBe(204);
  });

  test('a form without the part, or no form, is refused', async () => {
    const other = await person('other');
    const text = new FormData();
    text.set('file', 'text');
    const wrong = new FormData();
    wrong.set('image', new Blob([new Uint8Array(jpeg)]), 'me.jpg');
    const type = { 'content-type': 'multipart/form-data; boundary=x' };
    const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    for (const [body, headers] of [
      [null, {}],
      [new FormData(), {}],
      [text, {}],
      [wrong, {}],
      ['', type],
      ['--x--\r\n', type],
      // The form ends inside the file, and without a boundary.
      [Buffer.concat([Buffer.from(head), jpeg]), type],
      [Buffer.concat([Buffer.from(head), jpeg]), { 'content-type': 'multipart/form-data' }],
    ] as const) {
      const response = await other.send(body, { ...headers });
      expect([body, response.status]).toEqual([body, 400]);
    }
    expect((await other.send(jpeg, { 'content-type': 'image/jpeg' })).status).toBe(415);
    expect((await other.send('{}', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await other.read()).status).toBe(204);
  });

  test('deleting twice is fine, and nothing stays on the disk', async () => {
    const files = await blobs();
    const leaving = await person('leaving');
    expect((await leaving.remove()).status).toBe(204);
    await leaving.upload(jpeg);
    expect(await blobs()).toBe(files + 1);
    const answers = [await leaving.remove(), await leaving.remove()];
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect((await leaving.read()).status).toBe(204);
    expect(await blobs()).toBe(files);
  });

  test('a blob that a crash left unused goes after an hour, one in use or on its way stays', async () => {
    const { platform } = server;
    const { database, blobs: store } = platform;
    const user = await person('crashing');
    await user.upload(jpeg);
    const files = await blobs();
    const [crashed, young] = [await store.put('crashed'), await store.put('young')];
    await database.write(async (transaction) => {
      await markOrphan(transaction, crashed, platform.now() - 3_600_001);
      await markOrphan(transaction, young, platform.now());
    });
    await sweepOrphans(database, store, platform.now());
    expect(await blobs()).toBe(files + 1);
    await expect(store.get(crashed)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(database.write((transaction) => claimBlob(transaction, crashed))).rejects.toThrow(
      'was removed before it was claimed',
    );
    await database.write((transaction) => claimBlob(transaction, young));
    await store.remove(young);
    expect((await user.read()).status).toBe(200);
    expect(await database.read.selectFrom('orphan_blobs').selectAll().execute()).toEqual([]);
  });

  test('uploads that race leave one whole image and one file, and readers never see a gap', async () => {
    const files = await blobs();
    const racing = await person('racing');
    await racing.upload(jpeg);
    const colors = await Promise.all(['white', 'grey', 'black', 'pink'].map((color) => plain(color).png().toBuffer()));
    const uploads = Promise.all(colors.map((bytes) => racing.upload(bytes)));
    const reads: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const response = await racing.read();
      reads.push(response.status);
      expect((await metadataOf(Buffer.from(await response.arrayBuffer()))).width).toBe(40);
    }
    expect((await uploads).map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    expect(new Set(reads)).toEqual(new Set([200]));
    expect(await blobs()).toBe(files + 1);
  });
});

function form(bytes: Buffer, name: string, type: string): FormData {
  const data = new FormData();
  data.set('note', 'parts of other names are nobody’s business');
  data.set('file', new Blob([new Uint8Array(bytes)], { type }), name);
  return data;
}

/** A picture that does not shrink to nothing. */
function detailed(format: 'jpeg' | 'png'): Promise<Buffer> {
  return pattern().toFormat(format).toBuffer();
}

function progressive(): Promise<Buffer> {
  return pattern().jpeg({ progressive: true }).toBuffer();
}

function pattern() {
  const [width, height] = [200, 200];
  const data = Buffer.from(Array.from({ length: width * height * 3 }, (_none, index) => (index * index) % 251));
  return sharp(data, { raw: { width, height, channels: 3 } });
}

function overwritten(bytes: Buffer): Buffer {
  const middle = Math.floor(bytes.length / 2);
  return Buffer.from(bytes).fill(0x5a, middle, middle + 40);
}

/** The product reads images from files alone; this process is the product's as well. */
function metadataOf(bytes: Buffer) {
  sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
  return sharp(bytes).metadata();
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length / 2);
}

/** Decoders ignore what follows the end of the picture. */
function padded(size: number): Buffer {
  return Buffer.concat([jpeg, Buffer.alloc(size - jpeg.length)]);
}

/** The same JPEG with another size in its frame header (ISO/IEC 10918-1 B.2.2). */
function withJpegSize(image: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(image);
  const frame = changed.indexOf(Buffer.from([0xff, 0xc0]));
  changed.writeUInt16BE(height, frame + 5);
  changed.writeUInt16BE(width, frame + 7);
  return changed;
}

/** The same PNG with another size in its header. */
function withSize(image: Buffer, width: number, height: number): Buffer {
  const header = Buffer.from(image.subarray(16, 29));
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([image.subarray(0, 8), pngChunk('IHDR', header), image.subarray(33)]);
}

/** PNG specification §5.3: length, type, data, CRC. */
function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([frame, named, check]);
}
