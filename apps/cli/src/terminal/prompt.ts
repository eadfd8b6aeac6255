import { createInterface } from 'node:readline/promises';
import { CliFailure, usageFailure } from '../failures.ts';
import type { Shell } from '../shell.ts';

/** Asks for a line on the terminal. */
export async function ask(shell: Shell, question: string): Promise<string> {
  const reader = createInterface({ input: shell.stdin, output: shell.stderr });
  const gone = new AbortController();
  reader.on('SIGINT', () => gone.abort(new CliFailure('interrupted', 'interrupted', 'Interrupted.')));
  reader.on('close', () => gone.abort(usageFailure('The input ended before an answer was given.')));
  try {
    return (await reader.question(question, { signal: gone.signal })).trim();
  } catch (error) {
    throw gone.signal.aborted ? gone.signal.reason : error;
  } finally {
    reader.close();
  }
}

/** Asks for a line that is not shown. */
export function askHidden(shell: Shell, question: string): Promise<string> {
  const { stdin, stderr } = shell;
  // Asked only when echo is off, because text that is pasted at once would be shown.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding('utf8');
  stdin.resume();
  return new Promise((resolve, reject) => {
    let typed = '';
    const finish = (error?: Error) => {
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      if (error) reject(error);
      else resolve(typed);
    };
    const onData = (data: string | Buffer) => {
      for (const character of data.toString()) {
        if (character === '\r' || character === '\n') return finish();
        if (character === '\u0003') return finish(new CliFailure('interrupted', 'interrupted', 'Interrupted.'));
        if (character === '\u0004') return finish(usageFailure('The input ended before an answer was given.'));
        if (character === '\u007F' || character === '\b') typed = Array.from(typed).slice(0, -1).join('');
        else if (character >= ' ') typed += character;
      }
    };
    stdin.on('data', onData);
  });
}

/** Standard input to its end. */
export async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece as Buffer));
  return Buffer.concat(pieces).toString('utf8');
}

/** The first line of standard input, for `--password-stdin` and `--token-stdin`. */
export async function readSecretLine(shell: Shell, option: string): Promise<string> {
  const secret = (await readAll(shell.stdin)).split(/\r?\n/)[0] ?? '';
  if (secret === '') throw usageFailure(`${option} reads from standard input, but nothing came.`);
  return secret;
}
