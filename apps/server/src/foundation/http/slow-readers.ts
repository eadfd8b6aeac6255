import type { ServerResponse } from 'node:http';

/**
 * Closes the connection of an answer that takes nothing for a while although there is more of it. A quiet stream of which
 * all was taken stays open.
 */
export function closeWhenStalled(answer: ServerResponse, milliseconds: number): void {
  answer.setTimeout(milliseconds, () => {
    const waiting = answer.writableLength + (answer.socket?.writableLength ?? 0);
    if (waiting > 0) answer.destroy();
  });
}
