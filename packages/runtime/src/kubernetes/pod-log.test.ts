import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import os from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { BUSYBOX } from '../containers/check.ts';
import { LogFile } from '../runner/log-file.ts';
import type { LogLine } from '../types.ts';
import { ClusterAway, type ClusterApi } from './api.ts';
import { endMark, PASS_TERM, waitForProgram, type Order } from './objects.ts';
import { followLog, type LogEnd } from './pod-log.ts';

/** A stand-in for the API server: each reading ends without an error, wherever the log of the node ends at that moment. */
async function read(answers: string[], endedSilently = false): Promise<[LogEnd, string[]]> {
  let isOver = false;
  const open = (): Promise<IncomingMessage> => {
    const answer = Readable.from([Buffer.from(answers.shift() ?? '')]);
    answer.once('end', () => (isOver = true));
    return Promise.resolve(answer as IncomingMessage);
  };
  const state = {
    over: Promise.resolve(),
    isOver: () => isOver,
    isGone: () => false,
    mark: endMark('1'),
    endedSilently: () => endedSilently,
  };
  const lines: string[] = [];
  const sink = ({ message }: LogLine): void => void lines.push(message);
  const { signal } = new AbortController();
  return [await followLog({ open } as unknown as ClusterApi, 'pod', state, sink, signal, { mostReadings: 3 }), lines];
}

const [A, X] = ['2026-01-01T00:00:01.1Z a\n', '2026-01-01T00:00:01.2Z xx'];

test.each<[string, string[], boolean, LogEnd, string[]]>([
  ['a line that comes after the end of its program is whole', [A + X, A + X, `${A}${X}yy${endMark('1')}\n`], false, 'WHOLE', ['a', 'xxyy']],
  ['a log whose mark comes while it is followed is not read again', [`${A}2026-01-01T00:00:01.2Z ${endMark('1')}\n`], false, 'WHOLE', ['a']],
  ['a log whose mark never comes is cut', [A + X, A + X, A + X, A + X], false, 'CUT', ['a', 'xx']],
  ['blanks of which the start is gone are not delivered', [`2026-01-01T00:00:01.2Z ${endMark('1')}${' '.repeat(1_000)}\n`], false, 'WHOLE', []],
  ['a line without its end is not part of the warning that follows it', [`${X}\u001eWARNING careful\n2026-01-01T00:00:01.2Z ${endMark('1')}\n`], false, 'WHOLE', ['xx', 'careful']],
  ['a killed container has no mark', [A + X, A + X, A + X], true, 'WHOLE', ['a', 'xx']],
])('%s', async (_what, answers, endedSilently, end, lines) => {
  expect(await read(answers, endedSilently)).toEqual([end, lines]);
  expect(answers).toEqual([]);
}); // prettier-ignore

/** Reads a log by these answers: a text that ends, one that stays open after its last line, or an error. */
async function readThrough(
  answers: (string | { open: string } | Error)[],
  isOver: () => boolean,
): Promise<[LogEnd, string[]]> {
  const open = (_method: string, _path: string, { signal }: { signal: AbortSignal }): Promise<IncomingMessage> => {
    const next = answers.length > 1 ? answers.shift() : answers[0];
    if (next instanceof Error) return Promise.reject(next);
    if (typeof next === 'string') return Promise.resolve(Readable.from([Buffer.from(next)]) as IncomingMessage);
    const answer = new Readable({ read: () => undefined, signal });
    answer.push(next?.open);
    return Promise.resolve(answer as IncomingMessage);
  };
  const over = new Promise<void>((resolve) => void setTimeout(resolve, 50));
  const state = { over, isOver, isGone: () => false, mark: endMark('1'), endedSilently: () => false };
  const lines: string[] = [];
  const sink = ({ message }: LogLine): void => void lines.push(message);
  const { signal } = new AbortController();
  const bounds = { silentMs: 50, nodeAwayMs: 1 };
  return [await followLog({ open } as unknown as ClusterApi, 'pod', state, sink, signal, bounds), lines];
}
const WHOLE = `${A}${X}${endMark('1')}\n`;

test('a connection that the network has forgotten is given up when the program is over, and each line comes once', async () => {
  let looks = 0;
  // It runs while the first lines are read, and its end comes later.
  const isOver = (): boolean => ++looks > 3;
  expect(await readThrough([{ open: A }, { open: A }, WHOLE], isOver)).toEqual(['WHOLE', ['a', 'xx']]);
  expect(looks).toBeGreaterThan(3);
});

test('credentials that expire while a log is followed delay it, and lose no line', async () => {
  const expired = new ClusterAway('The cluster does not accept our credentials.');
  let looks = 0;
  expect(await readThrough([A, expired, WHOLE], () => ++looks > 3)).toEqual(['WHOLE', ['a', 'xx']]);
});

test('a log on a node that is lost after the end of its program is not waited for without end', async () => {
  const dial = 'Get "https://10.0.0.1:10250/containerLogs/n/p/program": dial tcp 10.0.0.1:10250: i/o timeout';
  const lost = new ClusterAway(`The API server is busy or away (500): ${dial}`);
  expect(await readThrough([A, lost], () => true)).toEqual(['REMOVED', ['a']]);
});

/**
 * A stand-in for containerd 1.6.20: two pipes with a copy between them. It reads slowly, and nothing more when the shell has
 * ended. Prints what it has read.
 */
const CONTAINERD = `
import fcntl, os, select, subprocess, sys, threading, time
pipes = [os.pipe(), os.pipe()]
for _, end in pipes:
    fcntl.fcntl(end, 1031, 65536)  # F_SETPIPE_SZ
(shim, out), (log, full) = pipes
shell = subprocess.Popen(sys.argv[1:], stdout=out)
os.close(out)
def copy():
    while chunk := os.read(shim, 4096):
        os.write(full, chunk)
threading.Thread(target=copy, daemon=True).start()
text = b""
while shell.poll() is None:
    if select.select([], [full], [], 0)[1]:
        time.sleep(0.001)
    else:
        text += os.read(log, 4096)
sys.stdout.buffer.write(text)
sys.stdout.flush()
os._exit(shell.returncode)
`;
const PRINTS = `import os; os.write(1, b"a\\n" + b"x" * 100_000)`;

test.each([
  ['dash', ['/bin/sh'], PRINTS],
  ['busybox', [BUSYBOX, 'sh'], PRINTS],
  ['a program that leaves its output without waiting', ['/bin/sh'], `${PRINTS}; os.set_blocking(1, False)`],
])('the last word has left all pipes when the shell ends: %s', async (_what, shell, program) => {
  const script = `${PASS_TERM}\npython3 -I -c '${program}' &\n${waitForProgram({ attempt: '1' } as Order)}`;
  const log = execFileSync('python3', ['-I', '-c', CONTAINERD, ...shell, '-c', script], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const stamped = log.replaceAll(/^/gm, '2026-01-01T00:00:01.1Z ');
  const whole = ['a', 'x'.repeat(65_536), 'x'.repeat(34_464)];
  expect(await read([stamped])).toEqual(['WHOLE', whole]);
});

test('a log that is delivered again after a line of ours has each line once', () => {
  const folder = mkdtempSync(join(os.tmpdir(), 'kethub-log-'));
  try {
    const path = join(folder, 'log.ndjson');
    const line = (message: string): LogLine => ({ timestamp: '2026-01-01T00:00:00.000Z', severity: 'INFO', message });
    const write = (use: (log: LogFile) => void): void => {
      const log = new LogFile(path, 10_000, () => undefined);
      use(log);
      log.close();
    };
    write((log) => ['a', 'b'].forEach((message) => log.append(line(message))));
    write((log) => {
      log.append(line('ours'), 'OURS');
      for (const message of ['a', 'b', 'c']) log.append(line(message));
    });
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    expect(lines.map((one) => (JSON.parse(one) as LogLine).message)).toEqual(['a', 'b', 'ours', 'c']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
