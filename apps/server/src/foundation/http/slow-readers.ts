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

/**
 * Closes the connection of an answer whose client falls more than `behind` seconds behind the speed `bytesPerSecond`.
 * Seconds in which no data is waiting are not counted. A speed of 0 is no limit.
 */
export function closeWhenSlow(answer: ServerResponse, bytesPerSecond: number, behind: number): void {
  if (bytesPerSecond === 0) return;
  let left = behind;
  let before = takenOf(answer);
  const timer = setInterval(() => {
    const taken = takenOf(answer);
    left = answer.writableLength === 0 ? behind : Math.min(behind, left + (taken - before) / bytesPerSecond) - 1;
    before = taken;
    if (left <= 0) answer.destroy();
  }, 1_000);
  timer.unref();
  answer.once('close', () => clearInterval(timer));
}

/** Bytes that the connection has passed on to the operating system. */
function takenOf({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}
