import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An engine that can be away. */
export interface RemovableEngine {
  readonly socketPath: string;
  leave(): void;
  comeBack(): Promise<void>;
}

/** Proxies a real engine. */
export async function removableEngine(engine: string): Promise<RemovableEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'kethub-engine-'));
  const socketPath = join(folder, 'engine.sock');
  const open = new Set<Socket>();
  let server: Server;
  const comeBack = async (): Promise<void> => {
    mkdirSync(folder, { recursive: true });
    // A client may end its sending and still read the answer.
    server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ path: engine, allowHalfOpen: true });
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy()).on('close', () => open.delete(one));
      }
    });
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  };
  await comeBack();
  return {
    socketPath,
    comeBack,
    leave() {
      server.close();
      for (const socket of open) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
