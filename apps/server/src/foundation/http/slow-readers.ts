import type { ServerResponse } from 'node:http';

/**
 * Closes the connection of an answer if its client reads nothing for `milliseconds` although data is waiting. A quiet
 * stream without waiting data stays open.
 */
export function closeWhenStalled(answer: ServerResponse, milliseconds: number): void {
  answer.setTimeout(milliseconds, () => {
    const waiting = answer.writableLength + (answer.socket?.writableLength ?? 0);
    if (waiting > 0) answer.destroy();
  });
}
