import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefix of a raw token, by which people and secret scanners recognize its kind. */
type RawTokenPrefix = 'ket_pat_' | 'ket_ak_' | 'ket_sk_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Number of random characters. */
const RANDOM = 32;
/** Number of characters of the checksum. */
const CHECKSUM = 6;
/** Random bytes from this value on are discarded: 248 = 4 · 62, so all characters are equally likely. */
const UNIFORM_BELOW = 248;

/** Creates a token: `prefix`, 32 random base62 characters (190 bits), and the CRC32 of both as 6 base62 characters. */
export function createRawToken(prefix: RawTokenPrefix): string {
  const body = prefix + randomCharacters(RANDOM);
  return body + checksumOf(body);
}

/**
 * Returns whether `value` has the form of a token with this prefix and a correct checksum. A typing error needs no
 * look-up.
 */
export function isWellFormed(prefix: RawTokenPrefix, value: string): boolean {
  if (value.length !== prefix.length + RANDOM + CHECKSUM || !value.startsWith(prefix)) return false;
  if (!/^[0-9A-Za-z]+$/.test(value.slice(prefix.length))) return false;
  return checksumOf(value.slice(0, -CHECKSUM)) === value.slice(-CHECKSUM);
}

/**
 * SHA-256 of a token in hex, by which it is stored. Salt and a slow hash are needless, as tokens have 190 random
 * bits.
 */
export function digestOf(value: string): string {
  return hash('sha256', value, 'hex');
}

/** Compares two digests in constant time. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

function randomCharacters(count: number): string {
  let characters = '';
  while (characters.length < count) {
    for (const byte of randomBytes(count - characters.length)) {
      if (byte < UNIFORM_BELOW) characters += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return characters;
}

/** CRC32 (ISO-HDLC, as in zlib) as base62, most significant digit first; 62^6 exceeds 2^32. */
function checksumOf(text: string): string {
  let quotient = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM; index += 1) {
    digits = ALPHABET.charAt(quotient % ALPHABET.length) + digits;
    quotient = Math.floor(quotient / ALPHABET.length);
  }
  return digits;
}
