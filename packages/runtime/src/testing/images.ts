import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BUSYBOX } from '../containers/check.ts';
import { Engine } from '../containers/engine.ts';

/** The engine for the tests. Null when none is given; its tests are then skipped. */
export const testEngine = process.env['KETHUB_TEST_CONTAINER_ENGINE'] ?? null;

export function engineOfTests(): Engine {
  if (testEngine === null) throw new Error('KETHUB_TEST_CONTAINER_ENGINE is not set');
  return new Engine(testEngine);
}

/**
 * Builds an image with a shell and its commands from this machine's busybox. It runs the text of the variable PROGRAM.
 * @param more further lines of its Dockerfile.
 */
export async function shellImage(
  engine = engineOfTests(),
  more: readonly string[] = [],
  name = 'kethub-test-shell:1',
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'kethub-image-'));
  try {
    cpSync(BUSYBOX, join(folder, 'busybox'));
    const lines = ['FROM scratch', 'COPY busybox /bin/busybox', 'RUN ["/bin/busybox", "--install", "-s", "/bin"]'];
    writeFileSync(
      join(folder, 'Dockerfile'),
      [...lines, ...more, `CMD ["/bin/sh", "-c", "eval \\"$PROGRAM\\""]`].join('\n'),
    );
    const { stdout } = spawnSync('tar', ['--create', '--directory', folder, '.'], { maxBuffer: 2 ** 26 });
    const query = { t: name, networkmode: 'none', rm: true };
    const answer = await engine.open('POST', '/build', { query, archive: Readable.from([stdout]) });
    const said = Buffer.concat(await answer.toArray()).toString();
    if (!said.includes('Successfully tagged')) throw new Error(said);
    return name;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Names of the containers with a label. */
export async function containersWith(label: string, engine = engineOfTests()): Promise<string[]> {
  const query = { all: true, filters: JSON.stringify({ label: [label] }) };
  const found = (await engine.ask('GET', '/containers/json', { query })) as { Names: string[] }[];
  return found.flatMap(({ Names }) => Names);
}
