import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Engine } from '../containers/engine.ts';
import type { SandboxRoot } from '../sandbox/root.ts';

/** Imports an image made of the files of sandboxes into the engine. */
export async function importImage(engine: Engine, name: string, root: SandboxRoot): Promise<void> {
  const parent = dirname(root.usr);
  let made: ChildProcess | null = null;
  const links = mkdtempSync(join(tmpdir(), 'kethub-links-'));
  // The root of the image has its mode.
  chmodSync(links, 0o755);
  try {
    for (const folder of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${folder}`, join(links, folder));
    mkdirSync(join(links, 'tmp'));
    const shown = root.shown.map(({ to }) => to.slice(1));
    // Leaves out empty mount points of the root: the parts of the machine are added, and engines accept no path twice.
    const usr = shown.length === 0 ? ['usr'] : filesIn(parent, 'usr');
    const own = ['-C', links, '.', '-C', root.dir, 'etc', '-C', parent, ...usr];
    const parts = shown.length === 0 ? own : [...own, '-C', '/', ...shown];
    const options = ['--create', '--owner=0', '--group=0', '--numeric-owner'];
    const tar = spawn('tar', [...options, ...parts], { stdio: ['ignore', 'pipe', 'inherit'] });
    made = tar;
    tar.once('exit', (code) => {
      if (code !== 0) tar.stdout.destroy(new Error(`tar ended with ${code}`));
    });
    const query = { fromSrc: '-', repo: name };
    const answer = await engine.open('POST', '/images/create', { query, archive: tar.stdout });
    const said = Buffer.concat(await answer.toArray()).toString();
    if (said.includes('"error"')) throw new Error(`The engine did not take the image: ${said}`);
  } finally {
    made?.kill();
    rmSync(links, { recursive: true });
  }
}

function filesIn(parent: string, folder: string): string[] {
  return readdirSync(join(parent, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(parent, path) : [path];
  });
}
