import { stripVTControlCharacters } from 'node:util';
import type { LogEntry } from '@kethub/contract';
import { jsonOf, layOut } from '../json.ts';

interface OutputOptions {
  readonly stdout: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
}

/** The output of a command. Results go to standard output, as text or JSON; everything else goes to standard error. */
export interface Output {
  readonly json: boolean;
  /** The result: `value` in JSON mode, else the text (nothing when it is empty). */
  result(text: string, value: unknown): void;
  /** One of many results: one line, which is a JSON text in JSON mode. */
  item(text: string, value: unknown): void;
  /** A line for the user. */
  note(line: string): void;
  /** Shows the current step: one rewritten line on a terminal, a line per change elsewhere. */
  progress(text: string): void;
  /** Removes the progress line. Call it before the result. */
  settle(): void;
  /** A log line of user code. */
  log(entry: LogEntry): void;
  readonly style: Style;
}

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Colours only on a terminal that wants them: https://no-color.org and TERM=dumb. */
function styleFor(terminal: boolean, environment: OutputOptions['environment']): Style {
  const coloured = terminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  const paint = (code: number) => (text: string) => (coloured ? `\u001B[${code}m${text}\u001B[0m` : text);
  return { bold: paint(1), dim: paint(2), red: paint(31), green: paint(32), yellow: paint(33) };
}

export function createOutput({ stdout, stderr, environment, json }: OutputOptions): Output {
  const terminal = stderr.isTTY && environment['TERM'] !== 'dumb';
  const style = styleFor(stderr.isTTY, environment);
  let current = '';
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;

  const draw = () => {
    const text = `${frames[frame++ % frames.length] ?? ''} ${current}`;
    stderr.write(`\r\u001B[2K${text.slice(0, (stderr.columns || 80) - 1)}`);
  };
  const erase = () => {
    if (timer) stderr.write('\r\u001B[2K');
  };
  const line = (text: string) => {
    erase();
    stderr.write(`${text}\n`);
    if (timer) draw();
  };
  const print = (text: string) => stdout.write(`${printable(text, stdout.isTTY)}\n`);
  return {
    json,
    style,
    result(text, value) {
      if (json) print(layOut(jsonOf(value)));
      else if (text !== '') print(text);
    },
    item: (text, value) => void print(json ? jsonOf(value).text : text),
    note: line,
    progress(text) {
      if (text === current) return;
      current = text;
      if (!terminal) return line(text);
      timer ??= setInterval(draw, 100).unref();
      draw();
    },
    settle() {
      erase();
      clearInterval(timer);
      timer = undefined;
      current = '';
    },
    log(entry) {
      const text = printable(entry.message, stderr.isTTY);
      const failed = entry.severity === 'ERROR' || entry.severity === 'WARNING';
      line(failed ? style.yellow(text) : style.dim(text));
    },
  };
}

/**
 * Removes characters that would control the terminal from a text of user code. A file or pipe gets the text unchanged.
 */
export function printable(text: string, terminal: boolean): string {
  if (!terminal) return text;
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '\u{FFFD}');
}
