import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Seals secrets at rest with AES-256-GCM under the instance key. `purpose` is authenticated, so that a sealed value
 * cannot be moved to another column.
 */
export interface Seal {
  seal(purpose: string, plain: string): string;
  /** Throws if the value was changed, or sealed under another key or for another purpose. */
  unseal(purpose: string, sealed: string): string;
  /** HMAC-SHA256 of a text in hex, with a separate key for each purpose, to find equal texts without storing them. */
  mac(purpose: string, text: string): string;
}

const NONCE = 12;
const TAG = 16;

export function createSeal(key: Buffer): Seal {
  if (key.length !== 32) throw new Error('The instance key must have 32 bytes');
  const macKeys = new Map<string, Buffer>();
  const macKey = (purpose: string): Buffer => {
    const known = macKeys.get(purpose) ?? Buffer.from(hkdfSync('sha256', key, '', `mac ${purpose}`, 32));
    macKeys.set(purpose, known);
    return known;
  };
  return {
    seal(purpose, plain) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    unseal(purpose, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
    },
    mac: (purpose, text) => createHmac('sha256', macKey(purpose)).update(text).digest('hex'),
  };
}

/**
 * The instance key: configured, or generated once and stored in the data folder, readable by the platform's user
 * only.
 */
export function instanceKey(dataDir: string, configured: string | null): Buffer {
  if (configured) return Buffer.from(configured, 'hex');
  const file = path.join(dataDir, 'instance.key');
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
    try {
      // If two processes start at the same time, one creates the key and the other finds it.
      linkSync(draft, file);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }
  chmodSync(file, 0o600);
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length !== 32)
    throw new Error(
      `${file} does not hold a key of 32 bytes in hex. Restore it from a backup: sealed secrets cannot be read without it.`,
    );
  return key;
}
