import { expect, test } from 'vitest';
import { createPlatformClient } from './platform-client.ts';
import { breakOff, json, problem, standIn, type Answer } from './testing.stand-in.ts';

const build = (status: string) => json({ id: 'build', status }, 200, { etag: `"${status}"` });
const unchanged: Answer = (response) => void response.writeHead(304).end();

async function statuses(url: string, interruptions: Error[] = []): Promise<string[]> {
  const platform = createPlatformClient({ baseUrl: url, credential: { accessToken: 'ket_pat_x' } });
  const seen: string[] = [];
  const onInterruption = (error: Error) => void interruptions.push(error);
  for await (const { status } of platform.watchBuild({ serviceId: 'service', version: '1.0.0', onInterruption }))
    seen.push(status);
  return seen;
}

test('every change is reported once, to the final one', async () => {
  const { url, requests } = await standIn(build('PENDING'), unchanged, build('RUNNING'), build('SUCCEEDED'));
  expect(await statuses(url)).toEqual(['PENDING', 'RUNNING', 'SUCCEEDED']);
  expect(requests.map(({ headers }) => [headers.prefer, headers['if-none-match']])).toEqual([
    [undefined, undefined],
    ['wait=50', '"PENDING"'],
    ['wait=50', '"PENDING"'],
    ['wait=50', '"RUNNING"'],
  ]);
});

test('a restart of the platform is outlived, and reported', async () => {
  const interruptions: Error[] = [];
  const { url } = await standIn(build('RUNNING'), breakOff, problem(503, 'stopping'), build('SUCCEEDED'));
  expect(await statuses(url, interruptions)).toEqual(['RUNNING', 'SUCCEEDED']);
  expect(interruptions.map(({ name }) => name)).toEqual(['UnreachableError', 'KethubError']);
});

test('what will not change by waiting ends the watch', async () => {
  const { url } = await standIn(build('RUNNING'), problem(404, 'not-found'));
  await expect(statuses(url)).rejects.toMatchObject({ status: 404 });
});
