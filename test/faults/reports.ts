import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The reports of runs. Each run calls this server under its own number until it gets an answer, and then goes on. */
export interface Reports {
  /** `host:port`, which the service declares. */
  readonly address: string;
  /** Number of runs of each mark since the beginning. */
  runs(): ReadonlyMap<string, number>;
  close(): void;
}

/** Counts runs where nobody sees from outside which files a program opens. */
export async function openReports(host: string): Promise<Reports> {
  const runs = new Map<string, Set<string>>();
  const server = createServer(({ url = '' }, response) => {
    const [, mark = '', run = ''] = new URL(url, 'http://x').pathname.split('/');
    runs.set(mark, (runs.get(mark) ?? new Set()).add(run));
    response.end('ok');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  return {
    address: `${host}:${(server.address() as AddressInfo).port}`,
    runs: () => new Map([...runs].map(([mark, all]) => [mark, all.size])),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
