import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../run.ts';

/** A first start of the platform, seen in a terminal. */
export interface FirstStart {
  /** The output until the end of the demo, with colours. */
  readonly lines: readonly string[];
  readonly dataDir: string;
  readonly origins: { readonly platform: string; readonly gateway: string };
}

const LAST_LINE = /^Demo execution .*: [A-Z]+$/;

/** Starts the platform under a pseudo terminal with an empty data folder, lets `look` see it, and stops it with Ctrl-C. */
export async function withFirstStart<T>(look: (start: FirstStart) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kethub-picture-'));
  // `script` of util-linux gives a program a terminal, and passes on typed keys.
  const terminal = spawn(
    'script',
    ['--quiet', '--return', '--flush', '--command', `'${process.execPath}' script/start.ts`, '/dev/null'],
    { cwd: root, env: environment(dataDir), stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(terminal, 'close');
  let text = '';
  terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    terminal.emit('shown');
  });
  try {
    while (!linesOf(text).some((line) => LAST_LINE.test(line))) {
      const over = await Promise.race([once(terminal, 'shown').then(() => false), ended.then(() => true)]);
      if (over) throw new Error(`The first start ended before its demo:\n${text}`);
    }
    const lines = linesOf(text);
    return await look({
      lines,
      dataDir,
      origins: { platform: addressIn(lines, 'platform'), gateway: addressIn(lines, 'gateway') },
    });
  } finally {
    terminal.stdin.write('\u0003');
    await ended;
    rmSync(dataDir, { recursive: true });
  }
}

function environment(dataDir: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('KETHUB_') && !['DATABASE_URL', 'NO_COLOR', 'FORCE_COLOR'].includes(name),
  );
  return {
    ...Object.fromEntries(inherited),
    TERM: 'xterm-256color',
    KETHUB_DATA_DIR: dataDir,
    KETHUB_PORT: '0',
    KETHUB_GATEWAY_PORT: '0',
  };
}

/** The whole lines. Text after the last line break may continue. */
function linesOf(text: string): string[] {
  return text.split('\r\n').slice(0, -1);
}

function addressIn(lines: readonly string[], name: string): string {
  const address = lines.map((line) => new RegExp(String.raw`^  ${name} +(\S+)`).exec(line)?.[1]).find(Boolean);
  if (!address) throw new Error(`The first start printed no address of the ${name}`);
  return address;
}
