/**
 * The process of all forward proxies of a runner: `node proxy-main.ts <uid or -> [<name servers>]`. The runner sends it which proxies to
 * open and close. Bytes of strangers are parsed here, without any right on this machine, and not in the runner.
 */
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createAddressRules, type AddressRules } from './address-rules.ts';
import { FairSlots } from './fair-slots.ts';
import { Names } from './names.ts';
import { createProxy, MOST_CONNECTIONS } from './proxy.ts';

export type ToProxy =
  /** `socket`: the path of a socket to be made, or null when a listening one comes with the message. */
  | { kind: 'open'; id: string; socket: string | null; hosts: string[] }
  | { kind: 'close'; id: string }
  | { kind: 'networks'; networks: string[] };
export type FromProxy =
  | { kind: 'listening'; id: string }
  | { kind: 'refused'; id: string; target: string; why: string };

/** Refusals of one sandbox that are reported to the runner. More are dropped here. */
const MOST_REFUSALS = 50;
/** Names of one sandbox that are resolved at the same time. More wait. */
const MOST_NAMES = 8;
/** Connections of all sandboxes together. More are refused. Fewer where the process may open fewer files. */
const MOST_ALTOGETHER = 8_192;

const [, , uid = '-', nameServers = ''] = process.argv;
if (uid !== '-') {
  process.setgroups?.([]);
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
let rules: AddressRules = createAddressRules([]);
const open = new Map<string, { server: Server; names: Names }>();
const slots = new FairSlots(connectionsInAll(), MOST_CONNECTIONS);

process.on('message', (message: ToProxy, handle: Server | undefined) => {
  if (message.kind === 'networks') rules = createAddressRules(message.networks);
  else if (message.kind === 'open') listen(message, handle);
  else close(message.id);
});
process.on('disconnect', () => process.exit(0)); // the runner has ended

function listen({ id, socket, hosts }: Extract<ToProxy, { kind: 'open' }>, handle: Server | undefined): void {
  let refusals = 0;
  const refused = (target: string, why: string): void => {
    refusals += 1;
    if (refusals <= MOST_REFUSALS) send({ kind: 'refused', id, target, why });
    if (refusals === MOST_REFUSALS) send({ kind: 'refused', id, target, why: 'further refusals are not reported' });
  };
  // A resolver for each sandbox, so that its look-ups delay no other sandbox and end with it.
  const names = new Names(
    nameServers === ''
      ? { hostsFile: '/etc/hosts', resolvConf: '/etc/resolv.conf', most: MOST_NAMES }
      : { servers: nameServers.split(','), hostsFile: null, resolvConf: null, most: MOST_NAMES },
  );
  const server = createProxy({
    hosts: new Set(hosts),
    rules: () => rules,
    refused,
    names,
    slot: () => slots.take(id),
  });
  server.on('error', (error) => {
    console.error(`the proxy of ${id} does not listen: ${error.message}`);
  });
  open.set(id, { server, names });
  slots.enter(id);
  if (socket === null) {
    server.listen(handle);
    return;
  }
  rmSync(socket, { force: true });
  server.listen(socket, () => {
    chmodSync(socket, 0o666); // the sandbox runs as another user; only it sees this folder
    send({ kind: 'listening', id });
  });
}

function send(message: FromProxy): void {
  process.send?.(message);
}

function close(id: string): void {
  const known = open.get(id);
  open.delete(id);
  slots.leave(id);
  known?.names.close();
  known?.server.close();
  known?.server.closeAllConnections();
}

/**
 * Computes the connections of all sandboxes. Each takes two files, and some files are for listening and for name
 * servers.
 */
function connectionsInAll(): number {
  try {
    const files = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (files !== undefined) return Math.max(16, Math.min(MOST_ALTOGETHER, Math.floor((Number(files) * 3) / 8)));
  } catch {
    // a system without /proc
  }
  return 256;
}
