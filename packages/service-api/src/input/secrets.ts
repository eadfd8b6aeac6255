import { limits } from '@kethub/contract/limits';
import { Problem } from '../http/problem.ts';
import { TokenScanner, type JsonListener } from '../json/index.ts';

/**
 * Reads the secrets from the JSON text of `$secrets`, which is known to be valid JSON. The text is scanned before it is
 * parsed: it has no nested values and at most `limits.secrets` members. Throws invalid-secrets.
 */
export function checkSecrets(bytes: Buffer): Record<string, string> {
  const form = new SecretsForm(bytes);
  const scanner = new TokenScanner(bytes, 2, form);
  scanner.run(bytes.length);
  const refused = scanner.end();
  if (refused || !form.isObject) throw new Problem('invalid-secrets', refused?.problem ?? NO_OBJECT);
  const secrets = JSON.parse(bytes.toString()) as Record<string, string>;
  for (const [name, value] of Object.entries(secrets)) {
    if (Buffer.byteLength(value) > limits.secretBytes)
      throw new Problem('invalid-secrets', `$secrets/${name} has more than ${limits.secretBytes} bytes.`);
  }
  return secrets;
}

const NO_OBJECT = '$secrets must be an object that maps names of secret parameters to strings.';
/** Bytes of a name that are quoted; a longer name is not. */
const NAME_BYTES = 200;

/** Accepts an object of strings. Values are never quoted: they are secret. */
class SecretsForm implements JsonListener {
  isObject = false;
  readonly #bytes: Buffer;
  #depth = 0;
  #count = 0;
  #name = '';

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  open(isObject: boolean): string | null {
    this.#depth += 1;
    if (this.#depth > 1) return this.#noString();
    this.isObject = isObject;
    return isObject ? null : NO_OBJECT;
  }

  close(): null {
    this.#depth -= 1;
    return null;
  }

  comma(): void {}

  name(from: number, to: number): string | null {
    this.#name = to - from > NAME_BYTES ? '…' : (JSON.parse(this.#bytes.toString('utf8', from, to)) as string);
    this.#count += 1;
    return this.#count > limits.secrets ? `$secrets may have at most ${limits.secrets} members.` : null;
  }

  string(): string | null {
    return this.#depth === 0 ? NO_OBJECT : null;
  }

  number(): string {
    return this.#noString();
  }

  word(): string {
    return this.#noString();
  }

  #noString(): string {
    return this.#depth === 0 ? NO_OBJECT : `$secrets/${this.#name} must be a string.`;
  }
}
