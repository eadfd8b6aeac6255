import { hash } from 'node:crypto';
import {
  createRawToken,
  digestOf,
  insertMany,
  type AccessTokenRow,
  type Database,
  type IdentityRow,
  type UserRow,
} from '@kethub/server/foundation/storage';
import { fillSearch, searchTextOf } from '@kethub/server/people/search';

/** Users and tokens that are added to an empty platform for a measurement. */
export interface Population {
  readonly users: number;
  /** Number of users who get a personal access token each. The raw tokens are returned. */
  readonly tokens: number;
}

/** One id and one raw token for each of these users, for calls. */
interface Populated {
  readonly ids: readonly string[];
  readonly tokens: readonly string[];
}

/**
 * Adds approved users who have signed in once, with the rows that the platform itself would have written. They are the
 * same in every call, except for the values of the tokens.
 */
export async function populate(database: Database, { users, tokens }: Population): Promise<Populated> {
  const rows = [...usersOf(users)];
  const raw = Array.from({ length: tokens }, () => createRawToken('ket_pat_'));
  await database.write(async (transaction) => {
    await insertMany(transaction, 'users', keysOf(rows[0]), rows);
    await insertMany(transaction, 'identities', keysOf(identityOf(rows[0])), mapped(rows, identityOf));
    const owned = raw.map((value, index) => tokenOf(rows[index % rows.length], value, index));
    await insertMany(transaction, 'access_tokens', keysOf(owned[0]), owned);
    await fillSearch(
      transaction,
      mapped(rows, (user) => ({ id: user.id, search_text: searchTextOf(user) })),
    );
  });
  return { ids: rows.map(({ id }) => id), tokens: raw };
}

const CREATED = Date.UTC(2026, 0, 1);

/** Names in the order of their frequency, which follows Zipf's law, with a long tail of made-up ones. */
const FIRST =
  'Maria John Anna Michael Peter Ana Thomas David Wei Sarah Martin Laura Daniel Julia Jan Andrea Mohammed Elena Paul Sofia Ali Xin Christina Alexander Katharina Fernando José Müjde Jürgen Søren Zoë Łukasz Дарья Иван 伟 芳 娜 François Hannah Annika Ingrid Giovanni Rodrigo Mariana Annamaria Quentin Yusuf Zhen Björn Ayşe'.split(
    ' ',
  );
const LAST =
  'Müller Wang Smith Li Zhang García Rodriguez Schmidt Johnson Kumar Chen Rossi Schneider Hernandez Kim Nguyen Silva Ivanov Martinez Fischer Weber Liu Jones Brown Yang Huang Zhao Wu Zhou Ivanova Kowalski Novák Weiß Andersson Hansen Jensen Öztürk Yılmaz O’Brien Fernandez van der Berg 王 李 张 Иванов Papadopoulos Schwarzenberger Nakamura Tanaka'.split(
    ' ',
  );
const SYLLABLES =
  'ba be bi bo bra ca ce chi da de di do el en er fa fe fi ga ge gi gor ha he hi il in ja jo ka ke ki ko kra la le li lo ma me mi mo na ne ni no nov ob or os pa pe pi pol ra re ri ro sa sch se si ska so sta ste ta te ti to tra tsu ul um va ve vi vo wa we wi ya yo za ze zi zu'.split(
    ' ',
  );

/** The users from number `from` on, up to `count` users in all. */
export function* usersOf(count: number, from = 0): Generator<UserRow> {
  const random = randomOf(20_261_121);
  for (let number = 0; number < count; number += 1) {
    const firstname = nameOf(FIRST, random, 0.25);
    const lastname = nameOf(LAST, random, 0.45);
    const login = `${plain(firstname).slice(0, random() < 0.5 ? 1 : 20)}.${plain(lastname)}${number.toString(36)}`;
    if (number < from) continue;
    yield {
      id: idOf(number),
      username: random() < 0.8 ? `${login}@uni.example` : login,
      email: `${login}@uni.example`,
      firstname,
      lastname,
      current_position: null,
      homepage: null,
      about: null,
      created_at: CREATED + number,
      updated_at: CREATED + number,
    };
  }
}

function nameOf(frequent: readonly string[], random: () => number, madeUp: number): string {
  if (random() >= madeUp) return frequent[Math.floor(frequent.length ** random()) - 1] ?? 'Ada';
  const syllables = 2 + Math.floor(random() * 3);
  const name = Array.from({ length: syllables }, () => SYLLABLES[Math.floor(random() ** 1.5 * SYLLABLES.length)]).join(
    '',
  );
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function plain(name: string): string {
  return (
    name
      .normalize('NFD')
      .replaceAll(/[^a-z]/gi, '')
      .toLowerCase() || 'user'
  );
}

/** A UUID like those of the platform, in the order of creation. */
function idOf(number: number): string {
  const time = (CREATED + number).toString(16).padStart(12, '0');
  const digits = hash('sha256', `user ${number}`, 'hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`;
}

function identityOf(user: UserRow | undefined): IdentityRow {
  if (!user) throw new Error('A population has one user at least');
  const { id, username, email, firstname, lastname, created_at } = user;
  const approved = { email_verified: 1, password_hash: '', status: 'APPROVED', enabled: 1 } as const;
  return { id, username, email, firstname, lastname, created_at, ...approved };
}

function tokenOf(user: UserRow | undefined, value: string, number: number): AccessTokenRow {
  if (!user) throw new Error('A population has one user at least');
  return {
    id: idOf(number),
    user_id: user.id,
    name: 'bench',
    digest: digestOf(value),
    sealed_value: null,
    is_default: 0,
    created_at: CREATED,
    used_at: null,
    expires_on: null,
    scope: null,
  };
}

function keysOf<T extends object>(row: T | undefined): (keyof T & string)[] {
  return Object.keys(row ?? {}) as (keyof T & string)[];
}

function* mapped<A, B>(all: Iterable<A>, change: (one: A) => B): Generator<B> {
  for (const one of all) yield change(one);
}

/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
