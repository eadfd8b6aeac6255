import { Problem } from '../http/problem.ts';
import { isOpen, type InputParameters } from './parameters.ts';

/** Names quoted from a list; of the others only the number is given. */
const QUOTED = 20;

/** Throws invalid-secrets for a secret that no parameter takes: its name may be misspelt, and nobody would notice. */
export function requireKnownSecrets(names: readonly string[], parameters: InputParameters): void {
  const unknown = names.filter((name) => !parameters.secrets.includes(name) && !isOpen(parameters, name));
  if (unknown.length === 0) return;
  const takes = [...parameters.secrets, ...parameters.untyped];
  const known = takes.length === 0 ? 'It takes no secrets.' : `It takes: ${quoted(takes)}.`;
  throw new Problem('invalid-secrets', `The service takes no secret ${quoted(unknown)}. ${known}`, {
    errors: unknown.map((name) => ({ pointer: pointerOf('$secrets', name), detail: 'is no secret parameter' })),
  });
}

/**
 * Throws invalid-secrets for plain values under the names of secret parameters: inputs are stored and shown as they
 * are. The values are not quoted. `remedy` is a sentence; the default says where to send the secret.
 */
export function requireSealed(names: readonly string[], remedy?: string, at: readonly string[] = []): void {
  if (names.length === 0) return;
  const instead = remedy ?? `Send {"$secrets": {${JSON.stringify(names[0])}: "..."}} in its place.`;
  throw new Problem(
    'invalid-secrets',
    `${quoted(names)} in clear is refused: secrets are given in $secrets only, where they are encrypted. Nothing was stored. ${instead}`,
    { errors: names.map((name) => ({ pointer: pointerOf(...at, name), detail: 'is a secret in clear' })) },
  );
}

function quoted(names: readonly string[]): string {
  const more = names.length > QUOTED ? ` and ${names.length - QUOTED} more` : '';
  return names.slice(0, QUOTED).map(shortened).join(', ') + more;
}

function shortened(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}

function pointerOf(...names: readonly string[]): string {
  return names.map((name) => `/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
