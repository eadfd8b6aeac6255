import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LABELS } from '../containers/description.ts';
import { installationOf } from '../containers/installation.ts';
import { createImageBuilder } from './image-builder.ts';

// The engine is a stand-in, which lists images and notes what is removed.
const dataDir = mkdtempSync(join(tmpdir(), 'kethub-sweep-'));
const socketPath = join(dataDir, 'engine.sock');
const removed: string[] = [];
let images: object[] = [];
const server = createServer((request, answer) => {
  if (request.method === 'DELETE') removed.push(request.url ?? '');
  answer.end(JSON.stringify(images));
});
beforeEach(async () => {
  mkdirSync(join(dataDir, 'runtime'));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
});
afterEach(() => {
  server.close();
  vi.restoreAllMocks();
  rmSync(dataDir, { recursive: true });
});

test('a sweep removes images of its own place that nobody needs, and says what it leaves of another place', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { repository, place } = installationOf(join(dataDir, 'runtime'));
  const imageOf = (source: string, of?: string): object => ({
    RepoTags: [`${repository}:${source}`],
    Labels: { [LABELS.source]: source, ...(of !== undefined && { [LABELS.place]: of }) },
  });
  images = [imageOf('needed', place), imageOf('ours', place), imageOf('old'), imageOf('theirs', 'copy')];
  const builder = createImageBuilder({ dataDir, socketPath, network: 'none' });
  await builder.sweep(() => Promise.resolve(new Set(['needed'])));
  expect(removed).toEqual([`/images/${repository}:ours`, `/images/${repository}:old`]);
  expect(said).toHaveBeenCalledOnce();
  expect(said.mock.calls[0]?.[0]).toMatch(/images from another place .*\(1\).*docker rmi .*=copy\)$/);
});
