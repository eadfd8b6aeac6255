import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A DNS server on loopback. It knows A records only and never answers names that begin with `silent`. */
export interface NameServer {
  /** `address:port`. */
  readonly address: string;
  /** Every queried name, in lower case and once per query. */
  readonly asked: string[];
  close(): void;
}

const NO_SUCH_NAME = 3;

export async function startNameServer(names: Readonly<Record<string, string>>): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    if (!name.startsWith('silent')) socket.send(answerTo(query, end, type, names[name]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  return { address: `127.0.0.1:${port}`, asked, close: () => socket.close() };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(query: Buffer, end: number, type: number, address: string | undefined): Buffer {
  const hasAnswer = address !== undefined && type === 1;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(0x81_80 | (address === undefined ? NO_SUCH_NAME : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(hasAnswer ? 1 : 0, 6);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...(address ?? '').split('.').map(Number)]);
  return Buffer.concat([header, query.subarray(12, end), ...(hasAnswer ? [record] : [])]);
}
