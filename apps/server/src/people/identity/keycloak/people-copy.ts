import { setTimeout as pause } from 'node:timers/promises';
import type { Platform } from '../../../foundation/platform.ts';
import type { Identity } from '../identity-provider.ts';
import type { AskKeycloak } from './admin.ts';
import {
  beginRound,
  changeRound,
  findApprovedInCopy,
  findRound,
  listUnseen,
  putIntoCopy,
  removeFromCopy,
} from './people-queries.ts';
import { toIdentity } from './user.ts';
import { findUser, idOf, listUsers } from './users.ts';

/** Least milliseconds between the starts of two rounds. */
const EVERY_MS = 5_000;
/** Milliseconds without progress after which another process may start the round again. */
const LEASE_MS = 30_000;
/** Milliseconds for which the copy is used after a round, or three times the last round if that is longer. */
const BELIEVED_MS = 30_000;
/** People read in one call; Keycloak answers 200 in some 50 ms. */
const CHUNK = 200;

/**
 * A copy of the people of a realm in the platform's database. Keycloak cannot look up several ids at once, so that
 * 200 people would take 200 calls. One process at a time reads the whole realm again and again, with pauses as long
 * as the calls. Changes that the platform makes or sees in between are written at once.
 */
export class PeopleCopy {
  readonly #platform: Platform;
  readonly #issuer: string;
  readonly #ask: AskKeycloak;
  readonly #closing = new AbortController();
  #rounds: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(platform: Platform, issuer: string, ask: AskKeycloak) {
    this.#platform = platform;
    this.#issuer = issuer;
    this.#ask = ask;
  }

  start(): void {
    if (this.#timer) return;
    const begin = (): void => {
      this.#rounds = this.#rounds.then(() => this.#round()).catch((error: unknown) => this.#report(error));
    };
    this.#timer = setInterval(begin, EVERY_MS).unref();
    begin();
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#closing.abort();
    await this.#rounds;
  }

  /** The approved users among these subjects, in their order; null if the copy is too old. */
  async findApproved(subjects: readonly string[]): Promise<(Identity | null)[] | null> {
    const round = await findRound(this.#platform.database, this.#issuer);
    if (!round || round.complete_since === null) return null;
    const age = this.#platform.now() - round.complete_since;
    if (age < 0 || age > Math.max(BELIEVED_MS, 3 * round.took_ms)) return null;
    return findApprovedInCopy(this.#platform.database, subjects);
  }

  /** Updates the copy of a person who was just read, or removes it. */
  async note(subject: string, person: Identity | null): Promise<void> {
    const { database, now } = this.#platform;
    if (person) await putIntoCopy(database, [person], now());
    else await removeFromCopy(database, subject);
  }

  /** Reads all people once, unless another process is doing so or has just done so. */
  async #round(): Promise<void> {
    const { database, now, newId } = this.#platform;
    if (this.#closing.signal.aborted) return;
    const [holder, began] = [newId(), now()];
    // Half of the interval, because timers are not exact.
    const limits = { holder, now: began, leaseMs: LEASE_MS, everyMs: EVERY_MS / 2 };
    if (!(await beginRound(database, this.#issuer, limits))) return;
    try {
      for (let first = 0; ; first += CHUNK) {
        const users = await this.#pausing(() => listUsers(this.#ask, pageOf(first)));
        const people = users.flatMap((user) => toIdentity(user, idOf(user)) ?? []);
        await putIntoCopy(database, people, began);
        if (!(await this.#goOn(holder))) return;
        if (users.length < CHUNK) break;
      }
      if (!(await this.#removeUnseen(holder, began))) return;
      const took = Math.max(0, now() - began);
      await changeRound(database, this.#issuer, holder, { complete_since: began, took_ms: took, lease_until: 0 });
    } catch (error) {
      await changeRound(database, this.#issuer, holder, { lease_until: 0 });
      throw error;
    }
  }

  /** Looks up each person whom no page contained, as they may have moved between pages. Returns whether to go on. */
  async #removeUnseen(holder: string, round: number): Promise<boolean> {
    const { database } = this.#platform;
    for (;;) {
      const unseen = await listUnseen(database, round, CHUNK);
      for (const subject of unseen) {
        const person = await this.#pausing(() => findUser(this.#ask, subject));
        if (person) await putIntoCopy(database, [person], round);
        else await removeFromCopy(database, subject);
      }
      if (!(await this.#goOn(holder))) return false;
      if (unseen.length < CHUNK) return true;
    }
  }

  /** Pauses after a call for as long as it took, so that a round makes calls for at most half of its time. */
  async #pausing<T>(call: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await call();
    await pause(Math.min(performance.now() - began, 1_000), undefined, { signal: this.#closing.signal }).catch(
      () => null,
    );
    return result;
  }

  async #goOn(holder: string): Promise<boolean> {
    if (this.#closing.signal.aborted) return false;
    const { database, now } = this.#platform;
    return changeRound(database, this.#issuer, holder, { lease_until: now() + LEASE_MS });
  }

  #report(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#platform.log.warn(
      { reason },
      'the people of the identity provider could not be read; tried again in seconds',
    );
  }
}

function pageOf(first: number): URLSearchParams {
  return new URLSearchParams({ first: String(first), max: String(CHUNK), briefRepresentation: 'false' });
}
