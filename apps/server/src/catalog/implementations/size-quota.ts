import type { Platform } from '../../foundation/platform.ts';
import type { ImplementationRow } from '../../foundation/storage/index.ts';

/** Bytes that a write may add to a repository. `release` follows when its row counts what was added. */
export interface SizeReservation {
  readonly bytes: number;
  /** True if other writes under way may take what is missing. */
  readonly isShared: boolean;
  release(): void;
}

interface Used {
  readonly repository: number;
  readonly owner: number;
}

/**
 * Quota of the sizes of repositories. It reserves bytes for the writes under way, so that several at once stay within the
 * limits of a repository and of its owner together.
 */
export class SizeQuota {
  readonly #platform: Platform;
  /** Bytes reserved, by owner and by implementation. */
  readonly #reserved = new Map<string, number>();
  #released = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Reserves bytes for a write, `most` at most. */
  async reserve(
    implementation: Pick<ImplementationRow, 'id' | 'owner_type' | 'owner_id'>,
    most: number,
  ): Promise<SizeReservation> {
    const { id, owner_type, owner_id } = implementation;
    const { repositoryBytes, ownerBytes } = this.#platform.configuration.repositories;
    const owner = `${owner_type} ${owner_id}`;
    let used: Used;
    let released: number;
    // A write that ended meanwhile is neither in the rows that were read nor among the reservations.
    do {
      released = this.#released;
      used = await this.#usedBy(implementation);
    } while (released !== this.#released);
    const [ofOwner, ofRepository] = [this.#reserved.get(owner) ?? 0, this.#reserved.get(id) ?? 0];
    const left = Math.min(repositoryBytes - used.repository - ofRepository, ownerBytes - used.owner - ofOwner);
    const bytes = Math.max(0, Math.min(left, most));
    for (const key of [owner, id]) this.#reserved.set(key, (this.#reserved.get(key) ?? 0) + bytes);
    let isOpen = true;
    const release = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#released++;
      for (const key of [owner, id]) {
        const remaining = (this.#reserved.get(key) ?? 0) - bytes;
        if (remaining > 0) this.#reserved.set(key, remaining);
        else this.#reserved.delete(key);
      }
    };
    return { bytes, isShared: bytes < most && ofOwner > 0, release };
  }

  async #usedBy({
    id,
    owner_type,
    owner_id,
  }: Pick<ImplementationRow, 'id' | 'owner_type' | 'owner_id'>): Promise<Used> {
    const rows = await this.#platform.database.read
      .selectFrom('implementations')
      .select(['id', 'bytes'])
      .where('owner_type', '=', owner_type)
      .where('owner_id', '=', owner_id)
      .execute();
    return {
      repository: rows.find((row) => row.id === id)?.bytes ?? 0,
      owner: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }
}
