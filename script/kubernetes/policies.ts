import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Number of the queue in which the packets of a cluster wait for their verdict. */
export function queueOf(network: number): number {
  return 100 + network;
}

/**
 * Adds or deletes the rule by which the machine asks the queue about each new connection of a pod. The
 * table of the program itself needs a part of the kernel that many machines do not have. Without an answer they pass.
 */
export function filterPods(
  action: '--append' | '--delete',
  { pods, number }: { readonly pods: string; readonly number: number },
): void {
  const asks = ['--jump', 'NFQUEUE', '--queue-num', String(queueOf(number)), '--queue-bypass'];
  const isNew = ['--match', 'conntrack', '--ctstate', 'NEW'];
  execFileSync('iptables', ['--wait', action, 'FORWARD', '--source', pods, ...isNew, ...asks], { stdio: 'pipe' });
}

/** True while a program answers in a queue. */
export function hasQueue(queue: number): boolean {
  return new RegExp(`^ *${queue} `, 'm').test(readFileSync('/proc/net/netfilter/nfnetlink_queue', 'utf8'));
}
