import { expect, test } from 'vitest';
import { createOutput } from './output.ts';

interface Surroundings {
  readonly terminal?: boolean;
  readonly json?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

function open({ terminal = false, json = false, environment = {} }: Surroundings = {}) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    isTTY: terminal,
    columns: 40,
    write: (text: string) => {
      written[name] += text;
      return true;
    },
  });
  return { written, output: createOutput({ stdout: stream('stdout'), stderr: stream('stderr'), environment, json }) };
}

const entry = { timestamp: '', severity: 'WARNING', message: 'a\u001B[31mb\u0007\u009Bc' } as const;

test('without a terminal progress is a line per change, without anything that steers a terminal', () => {
  const { written, output } = open();
  for (const status of ['PENDING', 'PENDING', 'RUNNING']) output.progress(status);
  output.note(output.style.red('note'));
  output.settle();
  expect(written).toEqual({ stdout: '', stderr: 'PENDING\nRUNNING\nnote\n' });
});

test('on a terminal progress is one line that makes way for others and goes away', () => {
  const { written, output } = open({ terminal: true, environment: { NO_COLOR: '1' } });
  output.progress('RUNNING');
  output.note('note');
  output.settle();
  expect(written.stderr).toBe('\r\u001B[2K⠋ RUNNING\r\u001B[2Knote\n\r\u001B[2K⠙ RUNNING\r\u001B[2K');
});

test('a line of progress is never wider than the terminal', () => {
  const { written, output } = open({ terminal: true });
  output.progress('x'.repeat(100));
  output.settle();
  expect(written.stderr).toContain(`⠋ ${'x'.repeat(37)}\r`);
});

test.each([
  [{ NO_COLOR: '1' }, 'note'],
  [{ NO_COLOR: '' }, '\u001B[31mnote\u001B[0m'],
  [{ TERM: 'dumb' }, 'note'],
  [{ TERM: 'xterm' }, '\u001B[31mnote\u001B[0m'],
])('colours in %j', (environment, text) => {
  const { output } = open({ terminal: true, environment });
  expect(output.style.red('note')).toBe(text);
});

test('what user code writes cannot steer the terminal, and reaches a file as it is', () => {
  const terminal = open({ terminal: true, environment: { NO_COLOR: '1' } });
  terminal.output.log(entry);
  terminal.output.item(entry.message, null);
  expect(terminal.written).toEqual({ stdout: 'ab\u{FFFD}\n', stderr: 'ab\u{FFFD}\n' });
  const file = open();
  file.output.item(entry.message, null);
  expect(file.written.stdout).toBe(`${entry.message}\n`);
});

test('in JSON mode standard output holds JSON alone', () => {
  const { written, output } = open({ json: true });
  output.progress('RUNNING');
  output.note('note');
  output.result('text', { a: 1 });
  output.item('text', { b: 2 });
  expect(written).toEqual({ stdout: '{\n  "a": 1\n}\n{"b":2}\n', stderr: 'RUNNING\nnote\n' });
});
