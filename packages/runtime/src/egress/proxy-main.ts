/**
 * The process of all forward proxies of a runner: node proxy-main.ts <uid or ->, told by its parent what to open and close.
 * Bytes of strangers are parsed here, without any right on this machine, and not in the runner.
 */
import { chmodSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createAddressRules, type AddressRules } from './address-rules.ts';
import { createProxy } from './proxy.ts';

export type ToProxy =
  /** With a socket that listens already, or the path of one to be made. */
  | { kind: 'open'; id: string; socket: string | null; hosts: string[] }
  | { kind: 'close'; id: string }
  | { kind: 'networks'; networks: string[] };
export interface FromProxy {
  kind: 'refused';
  id: string;
  target: string;
  why: string;
}

const [, , uid = '-'] = process.argv;
if (uid !== '-') {
  process.setgroups?.([]);
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
let rules: AddressRules = createAddressRules([]);
const open = new Map<string, Server>();

process.on('message', (message: ToProxy, handle: Server | undefined) => {
  if (message.kind === 'networks') rules = createAddressRules(message.networks);
  else if (message.kind === 'open') listen(message, handle);
  else close(message.id);
});
process.on('disconnect', () => process.exit(0)); // the runner is gone

function listen({ id, socket, hosts }: Extract<ToProxy, { kind: 'open' }>, handle: Server | undefined): void {
  const refused = (target: string, why: string): void => {
    process.send?.({ kind: 'refused', id, target, why } satisfies FromProxy);
  };
  const server = createProxy({ hosts: new Set(hosts), rules: () => rules, refused });
  server.on('error', (error) => {
    console.error(`the proxy of ${id} does not listen: ${error.message}`);
  });
  open.set(id, server);
  if (socket === null) {
    server.listen(handle);
    return;
  }
  rmSync(socket, { force: true });
  server.listen(socket, () => {
    chmodSync(socket, 0o666); // of another user, in a folder that only its sandbox sees
  });
}

function close(id: string): void {
  const server = open.get(id);
  open.delete(id);
  server?.close();
  server?.closeAllConnections();
}
