import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLog } from '@kethub/server/testing/log';
import { freePort } from '@kethub/server/testing/platform';

const root = path.resolve(import.meta.dirname, '..');
const START = path.join(root, 'script/start.ts');

interface Started {
  readonly lines: string[];
  readonly process: ChildProcess;
  /** Presses Ctrl-C and waits for the end; returns the exit code. */
  stop(): Promise<number | null>;
}

describe('npm start without a terminal', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-start-'));
  let ports: Record<string, string>;
  let first: Started;
  beforeAll(async () => {
    ports = { KETHUB_PORT: String(await freePort()), KETHUB_GATEWAY_PORT: String(await freePort()) };
    first = await start(/^Demo execution/);
  });
  const children = new Set<ChildProcess>();
  afterAll(async () => {
    // A test that failed half way has not stopped its processes.
    for (const child of children) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    checkLog(readFileSync(path.join(folder, 'data/log/kethub.log'), 'utf8'));
    rmSync(folder, { recursive: true });
  });

  const run = (dataDir = path.join(folder, 'data')): ChildProcess => {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('KETHUB_'));
    const env = {
      ...Object.fromEntries(inherited),
      ...ports,
      KETHUB_DATA_DIR: dataDir,
      KETHUB_SANDBOX_ROOT: 'machine',
      KETHUB_LOG_LEVEL: 'debug',
    };
    const child = spawn(process.execPath, [START], { env, cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
  const start = async (until: RegExp): Promise<Started> => {
    const child = run();
    const lines: string[] = [];
    if (!child.stdout) throw new Error('No standard output');
    const reader = createInterface(child.stdout);
    await new Promise<void>((resolve, reject) => {
      reader.on('line', (line) => {
        lines.push(line);
        if (until.test(line)) resolve();
      });
      child.once('exit', (code) => reject(new Error(`Ended with ${code} after:\n${lines.join('\n')}`)));
    });
    const stop = async (): Promise<number | null> => {
      const ended = once(child, 'exit') as Promise<[number | null]>;
      child.kill('SIGINT');
      return (await ended)[0];
    };
    return { lines, process: child, stop };
  };

  test('prepares the demo, calls it, and ends with SUCCEEDED, in plain lines', () => {
    const text = first.lines.join('\n');
    expect(first.lines.at(-1)).toMatch(/SUCCEEDED$/);
    expect(text).not.toContain('\u001B');
    expect(text).toContain('"cutValue": 174');
    expect(text).toMatch(/Restart 12 of 12/);
    // Output that is no terminal may be a log, so the credentials are in a file that only its owner can read.
    const howTo = howToOf(first.lines);
    expect(statSync(howTo.file).mode & 0o777).toBe(0o600);
    const [, password = ''] = /user demo, password (\S+)/.exec(howTo.text) ?? [];
    const [, secret = ''] = /access key \S+, secret (\S+)/.exec(howTo.text) ?? [];
    for (const credential of [password, secret]) {
      expect(credential.length).toBeGreaterThan(10);
      expect(text).not.toContain(credential);
    }
  });

  test('the curl lines work as pasted', async () => {
    const lines = howToOf(first.lines).text.split('\n');
    const commands = lines.slice(
      lines.findIndex((line) => line.startsWith('SERVICE=')),
      lines.findIndex((line) => line.startsWith('Addresses')),
    );
    const { stdout } = await promisify(execFile)('bash', ['-c', commands.join('\n')], { cwd: folder });
    expect(stdout).toContain('"status":"SUCCEEDED"');
    expect(stdout).toContain('"cutValue"');
    expect(stdout).toContain('saved cut.svg');
    expect(stdout).toMatch(/The best cut weighs/);
  });

  test('a second start on the same data folder is refused with the reason', async () => {
    expect(await refusal(run())).toContain('Another Kethub uses the data folder');
  });

  test('Ctrl-C ends it cleanly; the next start keeps all data', async () => {
    expect(await first.stop()).toBe(0);
    // Its last line may be read after its end.
    await expect.poll(() => first.lines.at(-1), { timeout: 30_000 }).toBe('Stopped.');
    const before = howToOf(first.lines).text;
    const second = await start(/^Demo execution/);
    const execution = (lines: string[]): string | undefined => lines.find((line) => line.startsWith('Demo execution'));
    expect(second.lines.at(-1)).toMatch(/SUCCEEDED$/);
    expect(execution(second.lines)).toBe(execution(first.lines));
    expect(howToOf(second.lines).text).toBe(before);
    expect(second.lines.join('\n')).not.toContain('RUNNING');
    expect(await second.stop()).toBe(0);
  });

  test('a port in use is named, with the setting that changes it', async () => {
    const server = net.createServer().listen(Number(ports['KETHUB_GATEWAY_PORT']), '127.0.0.1');
    await once(server, 'listening');
    const text = await refusal(run());
    server.close();
    expect(text).toContain(`Port ${ports['KETHUB_GATEWAY_PORT']} is in use`);
    expect(text).toContain('KETHUB_GATEWAY_PORT=');
  });

  test('a runner that ends at its start is told in words, with its log', async () => {
    const dataDir = path.join(folder, 'other');
    mkdirSync(path.join(dataDir, 'runtime'), { recursive: true });
    // A file in the place of a folder that the runner makes.
    writeFileSync(path.join(dataDir, 'runtime/trash'), '');
    const text = await refusal(run(dataDir));
    expect(text).toMatch(/kethub: The runner of .* ended at each of 5 starts\. .* start the platform again\./);
    expect(text).toMatch(/EEXIST: file already exists, mkdir/);
    expect(text).not.toContain('kethub.ts');
  });
});

/** The file that the output names, with the commands and credentials of the demo. */
function howToOf(lines: readonly string[]): { file: string; text: string } {
  const [, file = ''] = lines.map((line) => /credentials: (\/.*)$/.exec(line)).find((found) => found !== null) ?? [];
  return { file, text: readFileSync(file, 'utf8') };
}

/** The standard error of a start that fails. */
async function refusal(child: ChildProcess): Promise<string> {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(1);
  return text;
}
