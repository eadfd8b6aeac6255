import { styleText } from 'node:util';
import type { LogEntry } from '@kethub/contract';

/** Prints the steps of the demo as plain lines, in colour if the terminal supports it. */
export interface Narrator {
  title(text: string): void;
  step(text: string): void;
  log(entry: LogEntry): void;
  line(text?: string): void;
}

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

export function createNarrator(output: Output & NodeJS.WritableStream): Narrator {
  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    styleText(format, text, { stream: output });
  const line = (text = ''): void => void output.write(`${text}\n`);
  return {
    title: (text) => line(`\n${paint('bold', text)}`),
    step: (text) => line(`  ${paint('green', '✓')} ${text}`),
    log: ({ severity, message }) => {
      const format = severity === 'ERROR' ? 'red' : severity === 'WARNING' ? 'yellow' : 'dim';
      for (const part of message.split('\n')) line(`    ${paint(format, part)}`);
    },
    line,
  };
}
