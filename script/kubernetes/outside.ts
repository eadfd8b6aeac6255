import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A machine outside of a cluster. */
export interface Outside {
  /** Its network, and two addresses with servers that say their address and port. */
  readonly network: string;
  readonly addresses: readonly [string, string];
  readonly ports: readonly [number, number];
  stop(): Promise<void>;
}

const PORTS = [8001, 8002] as const;
const SERVER = `
import socketserver, threading
class Says(socketserver.BaseRequestHandler):
    def handle(self): self.request.sendall("{}:{}".format(*self.request.getsockname()).encode())
socketserver.ThreadingTCPServer.allow_reuse_address = True
for port in (${PORTS.join(', ')}):
    threading.Thread(target=socketserver.ThreadingTCPServer(("", port), Says).serve_forever).start()
`;

/**
 * Starts a machine beside a cluster: a network namespace that pods reach through their node. `address`: that of the node.
 * The namespace has no name: the command that names one mounts the folder of names anew, which pods of clusters use.
 */
export async function startOutside(address: string): Promise<Outside> {
  const prefix = address.replace(/\.0\.1$/, '.1');
  const name = `kethubo${Number(address.split('.')[1]) - 190}`;
  const addresses = [`${prefix}.2`, `${prefix}.3`] as const;
  const run = (...command: string[]): void => void execFileSync(command[0] ?? '', command.slice(1), { stdio: 'pipe' });
  const server = spawn('unshare', ['--net', 'python3', '-I', '-c', SERVER], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(server, 'exit');
  const pid = String(server.pid);
  const own = readlinkSync('/proc/self/ns/net');
  while (readlinkSync(`/proc/${pid}/ns/net`) === own) await pause(20);
  const inside = (...command: string[]): void => run('nsenter', '--target', pid, '--net', ...command);
  spawnSync('ip', ['link', 'delete', name], { stdio: 'ignore' });
  run('ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid);
  run('ip', 'address', 'add', `${prefix}.1/24`, 'dev', name);
  run('ip', 'link', 'set', name, 'up');
  for (const one of addresses) inside('ip', 'address', 'add', `${one}/24`, 'dev', 'eth0');
  inside('ip', 'link', 'set', 'eth0', 'up');
  inside('ip', 'route', 'add', 'default', 'via', `${prefix}.1`);
  for (const host of addresses)
    for (const port of PORTS)
      while (!(await answers(host, port))) {
        if (server.exitCode !== null) throw new Error('The machine outside does not start; it says why above.');
        await pause(50);
      }
  return {
    network: `${prefix}.0/24`,
    addresses,
    ports: PORTS,
    async stop() {
      // The link goes with the namespace.
      server.kill();
      await ended;
    },
  };
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  const said = await Promise.race([once(socket, 'data').catch(() => null), once(socket, 'close').then(() => null)]).catch(() => null); // prettier-ignore
  socket.destroy();
  return said !== null;
}
