import { expect, test } from 'vitest';
import { followLog } from './follow-log.ts';
import { problem, standIn, type Answer } from './testing.stand-in.ts';
import { createPlatformClient } from './platform-client.ts';

function events(lines: readonly number[], ends: boolean): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 1\n\n');
    for (const line of lines)
      response.write(
        `id: ${line}\ndata: ${JSON.stringify({ timestamp: '', severity: 'INFO', message: `line ${line}` })}\n\n`,
      );
    if (ends) response.end('event: end\ndata: {}\n\n');
    // Written out before it breaks: what the reader has seen must not be sent again.
    else response.write(': nothing more\n\n', () => setImmediate(() => response.destroy()));
  };
}

async function messages(url: string): Promise<string[]> {
  const platform = createPlatformClient({ baseUrl: url, credential: { accessToken: 'ket_pat_x' } });
  const seen: string[] = [];
  for await (const { entry } of platform.followBuildLog({ serviceId: 'service', version: '1.0.0' }))
    seen.push(entry.message);
  return seen;
}

test('a connection that breaks is taken up after the last line: none is lost, none comes twice', async () => {
  const { url, requests } = await standIn(events([1, 2], false), events([3], false), events([4], true));
  expect(await messages(url)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '3']);
});

test('an answer that will not change by waiting ends the following at once', async () => {
  const { url, requests } = await standIn(problem(404, 'not-found'));
  await expect(messages(url)).rejects.toMatchObject({ code: 'not-found', status: 404 });
  expect(requests).toHaveLength(1);
});

test('the reader can stop: an abort ends the pause before the next attempt', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const log = followLog(
    () => {
      controller.abort(reason);
      return Promise.reject(new TypeError('fetch failed'));
    },
    { signal: controller.signal },
  );
  await expect(log.next()).rejects.toThrow();
});
