import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Asks the language server of the compiler, as "go to definition" of an editor does. */
function openLanguageServer() {
  const server = spawn(path.join(root, 'node_modules/.bin/tsc'), ['--lsp', '--stdio'], { cwd: root });
  const waiting = new Map<number, (result: unknown) => void>();
  let buffered = Buffer.alloc(0);
  let last = 0;
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const receive = ({ id, method, result = null }: { id?: number; method?: string; result?: unknown }): void => {
    if (id === undefined) return;
    // A request of the server, such as for the configuration, gets an empty answer.
    if (method !== undefined) return send({ id, result: null });
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  server.stdout.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const end = buffered.indexOf('\r\n\r\n');
      const bytes = Number(/Content-Length: (\d+)/i.exec(buffered.subarray(0, end).toString())?.[1]);
      if (end < 0 || buffered.length < end + 4 + bytes) return;
      const message = buffered.subarray(end + 4, end + 4 + bytes).toString();
      buffered = buffered.subarray(end + 4 + bytes);
      receive(JSON.parse(message) as { id?: number });
    }
  });
  return {
    request: (method: string, params: object): Promise<unknown> =>
      new Promise((resolve) => {
        waiting.set(++last, resolve);
        send({ id: last, method, params });
      }),
    notify: (method: string, params: object): void => send({ method, params }),
    close: () => server.kill(),
  };
}

type LanguageServer = ReturnType<typeof openLanguageServer>;

async function withLanguageServer(work: (server: LanguageServer) => Promise<void>): Promise<void> {
  const server = openLanguageServer();
  try {
    await server.request('initialize', { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities: {} });
    server.notify('initialized', {});
    await work(server);
  } finally {
    server.close();
  }
}

/** Opens a file in the server. Returns its address and text. */
function open(server: LanguageServer, file: string): { uri: string; text: string } {
  const uri = pathToFileURL(path.join(root, file)).href;
  const text = readFileSync(path.join(root, file), 'utf8');
  server.notify('textDocument/didOpen', {
    textDocument: { uri, languageId: file.endsWith('x') ? 'typescriptreact' : 'typescript', version: 1, text },
  });
  return { uri, text };
}

test('every link in a comment goes to a definition', async () => {
  const listed = execFileSync('git', ['grep', '-lF', '{@link ', '--', '*.ts', '*.tsx'], {
    cwd: root,
    encoding: 'utf8',
  });
  await withLanguageServer(async (server) => {
    const lost: string[] = [];
    let followed = 0;
    for (const file of listed.trim().split('\n')) {
      const { uri, text } = open(server, file);
      for (const [line, content] of text.split('\n').entries())
        for (const { 1: name = '', index } of content.matchAll(/\{@link ([\w.]+)\}/g)) {
          const position = { line, character: index + '{@link '.length + name.length - 1 };
          const found = await server.request('textDocument/definition', { textDocument: { uri }, position });
          followed += 1;
          if (found === null || (Array.isArray(found) && found.length === 0)) lost.push(`${file}:${line + 1} ${name}`);
        }
    }
    expect(lost).toEqual([]);
    expect(followed).toBeGreaterThan(50);
  });
});

test('the end of an execution leads from the runtime into the platform', async () => {
  await withLanguageServer(async (server) => {
    // The server looks for implementations in the projects of the files that are open.
    open(server, 'apps/server/src/running/executions/end-collector.ts');
    const { uri, text } = open(server, 'packages/runtime/src/types.ts');
    const lines = text.split('\n');
    const line = lines.findIndex((one) => one.includes('collect(end: ExecutionEnd)'));
    const position = { line, character: lines[line]?.indexOf('collect') ?? -1 };
    const found = await server.request('textDocument/implementation', { textDocument: { uri }, position });
    expect((found as { uri: string }[]).map((one) => path.relative(root, fileURLToPath(one.uri)))).toEqual([
      'apps/server/src/running/executions/end-collector.ts',
    ]);
  });
});
