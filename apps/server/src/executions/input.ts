import { limits } from '@kethub/contract';
import { Problem } from '../http/index.ts';

export interface ExecutionInput {
  /** JSON text of the input object without `$secrets`. */
  readonly text: string;
  /** The same, parsed. */
  readonly members: object;
  readonly secrets: Record<string, string> | null;
}

const SECRETS = '$secrets';

/**
 * Checks the body of a start: one JSON object. Its text goes to the service as it came, so numbers keep every digit;
 * only when it holds secrets is it written anew, without them. Throws malformed-json, input-not-an-object, invalid-secrets.
 */
export function parseInput(text: string): ExecutionInput {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
    throw new Problem(
      'input-not-an-object',
      `The input must be a JSON object such as {"data": {}, "params": {}}, but it is ${kind}.`,
    );
  }
  if (!Object.hasOwn(value, SECRETS)) return { text, members: value, secrets: null };
  const secrets = checkSecrets(Reflect.get(value, SECRETS));
  return { text: withoutSecrets(text), members: value, secrets };
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new Problem('malformed-json', 'The body is empty. Send a JSON object, {} at least.');
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes a piece of the text in its message, and the text may hold secrets: only the place is told.
    const place =
      error instanceof Error ? /at position \d+ \(line \d+ column \d+\)/.exec(error.message)?.[0] : undefined;
    throw new Problem('malformed-json', `The body is not valid JSON${place ? `: it breaks ${place}` : ''}.`);
  }
}

function checkSecrets(secrets: unknown): Record<string, string> {
  if (typeof secrets !== 'object' || secrets === null || Array.isArray(secrets)) {
    throw new Problem('invalid-secrets', '$secrets must be an object that maps names of secret parameters to strings.');
  }
  const entries = Object.entries(secrets);
  if (entries.length > limits.secrets)
    throw new Problem('invalid-secrets', `$secrets may have at most ${limits.secrets} members.`);
  for (const [name, value] of entries) {
    if (typeof value !== 'string') throw new Problem('invalid-secrets', `$secrets/${name} must be a string.`);
    if (Buffer.byteLength(value) > limits.secretBytes) {
      throw new Problem('invalid-secrets', `$secrets/${name} has more than ${limits.secretBytes} bytes.`);
    }
  }
  return Object.fromEntries(entries);
}

/** The same object without `$secrets`; numbers keep their source text (a Python service sees integers of any length). */
function withoutSecrets(text: string): string {
  const exact = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? rawJson(context.source) : value,
  ) as Record<string, unknown>;
  delete exact[SECRETS];
  return JSON.stringify(exact);
}

/** JSON.rawJSON (ES2025, "JSON.parse source text access"), which TypeScript's library does not declare yet. */
function rawJson(source: string): unknown {
  const create: unknown = Reflect.get(JSON, 'rawJSON');
  if (typeof create !== 'function') throw new Error('This Node has no JSON.rawJSON; Node 24 or newer is needed');
  return Reflect.apply(create, JSON, [source]);
}
