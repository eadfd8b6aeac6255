import { errors } from 'oidc-provider';
import type { Platform } from '../../../foundation/platform.ts';
import { createOidcRecords } from '../base/oidc-records.ts';
import type { UpstreamRequest } from './upstream.ts';

/** Lifetime of a record in seconds, which is that of the sign-in. */
const SECONDS = 30 * 60;

/** A subject that is linked as soon as the password of the account with its address is given. */
interface PendingLink {
  readonly issuer: string;
  readonly subject: string;
  readonly holder: string;
}

/** Stores records, sealed, between the requests of one sign-in, which `uid` identifies. */
export class UpstreamRecords {
  readonly #requests;
  readonly #links;

  constructor(platform: Platform) {
    const records = createOidcRecords(platform);
    this.#requests = records('UpstreamRequest');
    this.#links = records('UpstreamLink');
  }

  async keepRequest(uid: string, request: UpstreamRequest): Promise<void> {
    await this.#requests.upsert(request.state, { uid, upstream: JSON.stringify(request) }, SECONDS);
  }

  /** The sign-in in which `state` was created, or null. */
  async uidOf(state: string): Promise<string | null> {
    const record = await this.#requests.find(state);
    return record?.uid ?? null;
  }

  /** Takes the request of this sign-in once. Null if another call has taken it. */
  async takeRequest(uid: string, state: string): Promise<UpstreamRequest | null> {
    const record = await this.#requests.find(state);
    if (record?.uid !== uid) return null;
    try {
      await this.#requests.consume(state);
    } catch (error) {
      if (error instanceof errors.InvalidGrant) return null;
      throw error;
    }
    return JSON.parse(String(record['upstream'])) as UpstreamRequest;
  }

  async keepLink(uid: string, link: PendingLink): Promise<void> {
    await this.#links.upsert(uid, { uid, upstream: JSON.stringify(link) }, SECONDS);
  }

  async findLink(uid: string): Promise<PendingLink | null> {
    const record = await this.#links.find(uid);
    return record ? (JSON.parse(String(record['upstream'])) as PendingLink) : null;
  }

  async dropLink(uid: string): Promise<void> {
    await this.#links.destroy(uid);
  }
}
