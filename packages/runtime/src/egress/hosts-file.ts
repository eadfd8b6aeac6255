import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** Bytes of the file. A larger one is ignored. */
const MOST_BYTES = 1024 * 1024;

/** Addresses of names in `/etc/hosts`, read again when the file has changed. */
export class HostsFile {
  readonly #path: string;
  #stamp = '';
  #names = new Map<string, string[]>();

  constructor(path: string) {
    this.#path = path;
  }

  /** @param name in lower case. @returns its addresses, or none. */
  addresses(name: string): readonly string[] {
    this.#refresh();
    return this.#names.get(name) ?? [];
  }

  #refresh(): void {
    try {
      const { mtimeMs, size, ino } = statSync(this.#path);
      const stamp = `${ino} ${size} ${mtimeMs}`;
      if (stamp === this.#stamp) return;
      this.#names = size > MOST_BYTES ? new Map() : parse(readFileSync(this.#path, 'utf8'));
      this.#stamp = stamp;
    } catch {
      this.#names = new Map(); // without the file DNS alone decides
      this.#stamp = '';
    }
  }
}

function parse(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      found.set(key, [...(found.get(key) ?? []), address]);
    }
  }
  return found;
}
