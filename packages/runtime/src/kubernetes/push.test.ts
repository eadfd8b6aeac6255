import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../../python/pod_push.py');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kethub-push-'));
  mkdirSync(join(folder, 'layout/blobs/sha256'), { recursive: true });
  writeFileSync(join(folder, 'secret'), '{"auths": "s3cret"}');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const blobOf = (digest: string): string => join(folder, 'layout/blobs/sha256', digest.replace('sha256:', ''));
function blob(content: Buffer | object): { digest: string; size: number } {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  writeFileSync(blobOf(digest), bytes);
  return { digest, size: bytes.length };
}

/** Writes an image as the commands of a build might leave it. Returns the digest of its configuration. */
function image(config: object, layers: readonly Buffer[] = []): string {
  const settings = blob({ os: 'linux', architecture: 'amd64', config });
  const manifest = blob({
    config: settings,
    layers: layers.map((layer) => ({ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...blob(layer) })),
  });
  writeFileSync(join(folder, 'layout/index.json'), JSON.stringify({ manifests: [manifest] }));
  return settings.digest;
}

/** Lets the container that pushes judge the image. None of these is taken, so no registry is asked. */
function judged(): { type: string; detail: string } {
  const report = join(folder, 'report');
  const variables = { LAYOUT: join(folder, 'layout'), REPORT: report, IMAGE: 'localhost:1/x:1', IMAGE_BYTES: '1000000', PLAIN: 'true' }; // prettier-ignore
  const ended = spawnSync('/usr/bin/python3', ['-I', '-S', PROGRAM], { env: { PATH: '/nowhere', ...variables } });
  expect([ended.status, ended.stderr.toString()]).toEqual([0, '']);
  const text = readFileSync(report, 'utf8');
  expect(text).toMatch(/^E/);
  expect(text).not.toContain('s3cret');
  return JSON.parse(text.slice(1)) as { type: string; detail: string };
}

/** Replaces a file of the layout with a link to a credential. */
function link(path: string): void {
  rmSync(path, { force: true, recursive: true });
  symlinkSync(join(folder, 'secret'), path);
}

const RUNS = { Cmd: ['true'] };

test.each<[string, () => void, string, RegExp]>([
  ['no image', () => undefined, 'image-build-failed', /no usable image/],
  ['a link to a credential for an index', () => link(join(folder, 'layout/index.json')), 'image-build-failed', /Too many levels|ELOOP|40/],
  ['a link to a credential for a configuration', () => link(blobOf(image(RUNS))), 'image-build-failed', /no usable image/],
  [
    'a digest that is a path',
    () => writeFileSync(join(folder, 'layout/index.json'), '{"manifests": [{"digest": "sha256:../../secret"}]}'),
    'image-build-failed',
    /a digest is not valid/,
  ],
  ['an index that is no object', () => writeFileSync(join(folder, 'layout/index.json'), '[]'), 'image-build-failed', /no usable image/],
  ['an index that is nested too deeply', () => writeFileSync(join(folder, 'layout/index.json'), '['.repeat(1_000_000)), 'image-build-failed', /no usable image/],
  ['a description without an end', () => writeFileSync(join(folder, 'layout/index.json'), ' '.repeat(4_000_001)), 'image-build-failed', /too long/],
  ['no command', () => void image({}), 'image-without-command', /neither CMD nor ENTRYPOINT/],
  ['a command of other values', () => void image({ Cmd: [1] }), 'image-build-failed', /no list of texts/],
  ['a command of 70,000 characters', () => void image({ Cmd: ['x'.repeat(70_000)] }), 'image-build-failed', /more than 64000 bytes/],
  ['a layer that is no archive', () => void image(RUNS, [Buffer.alloc(2_000, 'x')]), 'image-build-failed', /no usable image/],
  ['a layer that is cut off', () => void image(RUNS, [gzipSync(Buffer.alloc(20_480)).subarray(0, 30)]), 'image-build-failed', /no usable image/],
  ['a layer that unpacks to far more', () => void image(RUNS, [gzipSync(Buffer.alloc(30_000_000))]), 'image-limit-exceeded', /more than 1000000 bytes/],
  ['many layers', () => void image(RUNS, Array.from({ length: 501 }, (_, n) => Buffer.from(String(n)))), 'image-limit-exceeded', /501 layers/],
])('a build that leaves %s is told in words, and nothing of the pod is read', (_what, leave, type, detail) => {
  leave();
  const told = judged();
  expect([told.type, told.detail]).toEqual([type, expect.stringMatching(detail)]);
}); // prettier-ignore

test('a report that a build has left in the place of ours is replaced', () => {
  symlinkSync(join(folder, 'secret'), join(folder, 'report'));
  judged();
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toContain('s3cret');
  expect(existsSync(join(folder, 'report'))).toBe(true);
});
