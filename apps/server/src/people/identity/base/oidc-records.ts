import { errors, type Adapter, type AdapterFactory, type AdapterPayload } from 'oidc-provider';
import type { Platform } from '../../../foundation/platform.ts';
import { digestOf, type OidcRecordRow } from '../../../foundation/storage/index.ts';
import { passwordSeen, requireSamePassword } from './password-changes.ts';

/**
 * Stores the records of oidc-provider (sessions, codes, refresh tokens, grants) in the table oidc_records. Ids are
 * credentials: only their digest is stored, and the payload, which repeats them, is sealed.
 */
export function createOidcRecords(platform: Platform): AdapterFactory {
  return (model) => new OidcRecords(platform, model);
}

/** Deletes expired records, and returns their number. */
export async function purgeOidcRecords(platform: Platform): Promise<number> {
  const { numDeletedRows } = await platform.database.write((transaction) =>
    transaction.deleteFrom('oidc_records').where('expires_at', '<=', platform.now()).executeTakeFirst(),
  );
  return Number(numDeletedRows);
}

/** Deletes the sessions, codes, grants and refresh tokens of a person. */
export async function endOidcSessions({ database }: Platform, accountId: string): Promise<void> {
  await database.write((transaction) =>
    transaction.deleteFrom('oidc_records').where('account_id', '=', accountId).execute(),
  );
}

/** The owner of a record. A sign-in in progress belongs to the person who has just given a password. */
function accountOf({ accountId, session, result }: AdapterPayload): string | null {
  return accountId ?? result?.login?.accountId ?? session?.accountId ?? null;
}

class OidcRecords implements Adapter {
  readonly #platform: Platform;
  readonly #model: string;

  constructor(platform: Platform, model: string) {
    this.#platform = platform;
    this.#model = model;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const accountId = accountOf(payload);
    const content = {
      payload: this.#platform.seal.seal(this.#purpose, JSON.stringify(payload)),
      grant_id: payload.grantId ?? null,
      user_code: payload.userCode ?? null,
      uid: payload.uid ?? null,
      account_id: accountId,
      expires_at: expiresIn === undefined ? null : this.#platform.now() + expiresIn * 1000,
    };
    await this.#platform.database.write(async (transaction) => {
      if (accountId !== null) await requireSamePassword(transaction, accountId);
      await transaction
        .insertInto('oidc_records')
        .values({ model: this.#model, id: digestOf(id), consumed_at: null, ...content })
        .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(content))
        .execute();
    });
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('id', digestOf(id));
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('uid', uid);
  }

  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('user_code', userCode);
  }

  /**
   * Redeems a code or refresh token once. If two requests redeem it, the second fails and ends the whole grant,
   * because the first may have been a thief's (RFC 9700 §4.14.2).
   */
  async consume(id: string): Promise<void> {
    const { numUpdatedRows } = await this.#platform.database.write((transaction) =>
      transaction
        .updateTable('oidc_records')
        .set({ consumed_at: this.#platform.now() })
        .where('model', '=', this.#model)
        .where('id', '=', digestOf(id))
        .where('consumed_at', 'is', null)
        .executeTakeFirst(),
    );
    if (numUpdatedRows === 1n) return;
    await this.#endGrantOf(id);
    throw new errors.InvalidGrant(`${this.#model} was redeemed by another request`);
  }

  async destroy(id: string): Promise<void> {
    await this.#platform.database.write((transaction) =>
      transaction.deleteFrom('oidc_records').where('model', '=', this.#model).where('id', '=', digestOf(id)).execute(),
    );
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#platform.database.write((transaction) =>
      transaction.deleteFrom('oidc_records').where('model', '=', this.#model).where('grant_id', '=', grantId).execute(),
    );
  }

  async #endGrantOf(id: string): Promise<void> {
    await this.#platform.database.write(async (transaction) => {
      const record = await transaction
        .selectFrom('oidc_records')
        .select('grant_id')
        .where('model', '=', this.#model)
        .where('id', '=', digestOf(id))
        .executeTakeFirst();
      if (!record?.grant_id) return;
      await transaction.deleteFrom('oidc_records').where('grant_id', '=', record.grant_id).execute();
      await transaction
        .deleteFrom('oidc_records')
        .where('model', '=', 'Grant')
        .where('id', '=', digestOf(record.grant_id))
        .execute();
    });
  }

  get #purpose(): string {
    return `oidc_records:${this.#model}`;
  }

  async #findBy(column: 'id' | 'uid' | 'user_code', value: string): Promise<AdapterPayload | undefined> {
    const row = await this.#platform.database.read
      .selectFrom('oidc_records')
      .leftJoin('identities', 'identities.id', 'oidc_records.account_id')
      .select(['payload', 'consumed_at', 'expires_at', 'account_id', 'password_hash'])
      .where('model', '=', this.#model)
      .where(`oidc_records.${column}`, '=', value)
      .executeTakeFirst();
    if (row?.account_id) passwordSeen(row.account_id, row.password_hash);
    return row && !this.#isExpired(row) ? this.#payload(row) : undefined;
  }

  #isExpired({ expires_at }: Pick<OidcRecordRow, 'expires_at'>): boolean {
    return expires_at !== null && expires_at <= this.#platform.now();
  }

  #payload(row: Pick<OidcRecordRow, 'payload' | 'consumed_at'>): AdapterPayload {
    const payload = JSON.parse(this.#platform.seal.unseal(this.#purpose, row.payload)) as AdapterPayload;
    return row.consumed_at === null ? payload : { ...payload, consumed: Math.floor(row.consumed_at / 1000) };
  }
}
