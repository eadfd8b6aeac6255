import type { ExecutionEnd, LogLine, Runtime } from '../types.ts';

export async function endOf(runtime: Runtime, executionId: string): Promise<ExecutionEnd> {
  return new Promise((resolve) => {
    const stop = runtime.onEnded((end) => {
      if (end.executionId !== executionId) return;
      stop();
      resolve(end);
    });
  });
}

export async function logHas(runtime: Runtime, executionId: string, text: string): Promise<void> {
  for (;;) {
    const lines = (await logOf(runtime, executionId)).map(({ message }) => message);
    if (lines.some((line) => line.includes(text))) return;
    const known = (await runtime.list()).find((one) => one.executionId === executionId);
    if (known?.state !== 'RUNNING')
      throw new Error(`It ended before it had printed "${text}": ${JSON.stringify(known)} ${lines.join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function logOf(runtime: Runtime, executionId: string): Promise<LogLine[]> {
  const parts: Buffer[] = [];
  for (let position = 0; ;) {
    const { bytes, nextByte } = await runtime.readLog(executionId, position);
    if (bytes.length === 0) break;
    parts.push(bytes);
    position = nextByte;
  }
  const lines = Buffer.concat(parts).toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LogLine);
}
