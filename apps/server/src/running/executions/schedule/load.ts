import type { Capacity, Needs } from '../../../foundation/workers/index.ts';
import type { Queue, Running } from './situation.ts';

/** Running executions and those that are about to start, counted by owner and service. */
export class Load {
  readonly #owners = new Map<string, { executions: number; cpus: number; memoryBytes: number }>();
  readonly #services = new Map<string, number>();
  readonly #capacity: Capacity;

  constructor(running: readonly Running[], capacity: Capacity) {
    this.#capacity = capacity;
    for (const one of running) this.#count(one, one.executions, one);
  }

  add(queue: Queue, given: Needs): void {
    this.#count(queue, 1, given);
  }

  ofOwner(ownerId: string): number {
    return this.#owners.get(ownerId)?.executions ?? 0;
  }

  ofService(serviceId: string | null): number {
    return serviceId === null ? 0 : (this.#services.get(serviceId) ?? 0);
  }

  /** Share of this machine that an owner has running on all machines: of processors or memory, whichever is larger. */
  shareOf(ownerId: string): number {
    const { cpus = 0, memoryBytes = 0 } = this.#owners.get(ownerId) ?? {};
    return Math.max(cpus / this.#capacity.cpus, memoryBytes / this.#capacity.memoryBytes);
  }

  #count(
    of: Pick<Queue, 'ownerId' | 'serviceId'>,
    executions: number,
    { cpus, memoryBytes }: Pick<Needs, 'cpus' | 'memoryBytes'>,
  ): void {
    const owner = this.#owners.get(of.ownerId) ?? { executions: 0, cpus: 0, memoryBytes: 0 };
    owner.executions += executions;
    owner.cpus += cpus;
    owner.memoryBytes += memoryBytes;
    this.#owners.set(of.ownerId, owner);
    if (of.serviceId !== null) this.#services.set(of.serviceId, this.ofService(of.serviceId) + executions);
  }
}
