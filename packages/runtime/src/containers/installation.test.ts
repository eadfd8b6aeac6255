import { chmodSync, cpSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { installationOf } from './installation.ts';

const root = mkdtempSync(join(os.tmpdir(), 'kethub-installation-'));
afterAll(() => rmSync(root, { recursive: true }));

test('a data folder keeps its place, and a copy of it has another one until its key is deleted', () => {
  const folder = mkdtempSync(join(root, 'data-'));
  const first = installationOf(folder);
  chmodSync(join(folder, 'installation.key'), 0o640);
  utimesSync(join(folder, 'installation.key'), 1, 1);
  expect(installationOf(folder)).toMatchObject({ id: first.id, place: first.place });
  const copied = join(root, 'copy');
  cpSync(folder, copied, { recursive: true, preserveTimestamps: true });
  const copy = installationOf(copied);
  expect(copy.id).toBe(first.id);
  expect(copy.place).not.toBe(first.place);
  rmSync(join(copied, 'installation.key'));
  expect(installationOf(copied).id).not.toBe(first.id);
  for (const { place } of [first, copy]) expect(place).toMatch(/^[0-9a-f]{12}$/);
});
