import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beginAuthorization } from '@kethub/client';
import type { Shell } from '../shell.ts';
import type { Output } from '../terminal/output.ts';

type Environment = Shell['environment'];

/** Returns whether a browser can be expected here: not over SSH, and on Linux only with a display. */
export function hasBrowser(environment: Environment): boolean {
  if (environment['BROWSER']) return true;
  if (environment['SSH_CONNECTION']) return false;
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY']);
}

/**
 * Signs in through the browser (RFC 8252). The answer comes to a port of this machine that is open only until then.
 * Returns the token of the login session.
 */
export async function signInWithBrowser(
  shell: Shell,
  output: Output,
  authUrl: string,
  signal: AbortSignal,
): Promise<string> {
  const answer = new EventEmitter<{ answer: [URLSearchParams] }>();
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
    if (request.method !== 'GET' || url?.pathname !== '/callback') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' }).end(closingPage);
    answer.emit('answer', url.searchParams);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const authorization = await beginAuthorization({ authUrl, redirectUri, signal });
    output.note(`Sign in at this address:\n\n  ${authorization.url}\n`);
    if (hasBrowser(shell.environment)) openBrowser(shell.environment, authorization.url, output);
    output.progress('Waiting for the browser');
    const [brought] = await interruptedBy(signal, once(answer, 'answer', { signal }));
    return await authorization.finish(brought);
  } finally {
    output.settle();
    server.close();
    server.closeAllConnections();
  }
}

/** Waits, and throws the reason of the signal instead of Node's AbortError. */
async function interruptedBy<T>(signal: AbortSignal, waiting: Promise<T>): Promise<T> {
  try {
    return await waiting;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

const closingPage =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Kethub</title><p>You can close this page and go back to the terminal.</p></html>\n';

/** Opens an address in the browser, in a process of its own. A failure becomes a note. */
export function openBrowser(environment: Environment, url: string, output: Output): void {
  const [command, ...args] = browserCommand(environment);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => output.note('No browser could be opened. Open the address yourself.'));
  child.unref();
}

function browserCommand(environment: Environment): [command: string, ...args: string[]] {
  const { BROWSER: own } = environment;
  if (own) return [own];
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
