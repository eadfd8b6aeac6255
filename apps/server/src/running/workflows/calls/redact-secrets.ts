import { ExactNumber, largeJson, parseExact, type Event, type Value } from '@kethub/workflow';
import { parseJson } from '../../../foundation/http/index.ts';

const REDACTED = '[redacted]';
/**
 * Characters of a secret. A shorter one is redacted only where it is the whole text: within others it would be found by
 * chance.
 */
const SHORTEST_WITHIN = 6;

/**
 * Redacts the secrets of the workflow in the answer of a service: they must not get into variables, journal or errors.
 */
export async function redactedEvent(event: Event, secrets: readonly string[]): Promise<Event> {
  const known = secrets.filter((secret) => secret !== '');
  if (known.length === 0) return event;
  if (event.type === 'jobSucceeded') return { ...event, result: await redacted(event.result, known) };
  if (event.type === 'jobFailed') return { ...event, response: await redacted(event.response, known) };
  return event;
}

/**
 * Redacts a value. A large one is parsed again from its text, in slices: once to find a secret, and again if there is
 * one.
 */
async function redacted(value: Value, secrets: readonly string[]): Promise<Value> {
  const large = largeJson(value);
  if (!large) return isPlain(value) ? redactedMembers(value, secrets) : redact(value, secrets);
  const { text } = large;
  let isFound = false;
  await parseJson(text, (part) => {
    const read = parseExact(part);
    isFound ||= redact(read, secrets) !== read;
    return read;
  });
  if (!isFound) return value;
  return (await parseJson(text, (part) => redact(parseExact(part), secrets), { remember: false })) as Value;
}

/** Redacts each member by itself: members that were taken out of a large value are no large values. */
async function redactedMembers(value: { readonly [name: string]: Value }, secrets: readonly string[]): Promise<Value> {
  const members: (readonly [string, Value])[] = [];
  for (const [name, member] of Object.entries(value))
    members.push([redactText(name, secrets), await redacted(member, secrets)]);
  return Object.fromEntries(members);
}

function isPlain(value: Value): value is { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** The same value when it holds no secret. */
function redact(value: Value, secrets: readonly string[]): Value {
  if (typeof value === 'string') return redactText(value, secrets);
  if (Array.isArray(value)) {
    const items = (value as readonly Value[]).map((item) => redact(item, secrets));
    return items.every((item, at) => item === (value as readonly Value[])[at]) ? value : items;
  }
  if (!isPlain(value)) return value;
  let isChanged = false;
  const members = Object.entries(value).map(([name, member]): [string, Value] => {
    const [newName, newMember] = [redactText(name, secrets), redact(member, secrets)];
    isChanged ||= newName !== name || newMember !== member;
    return [newName, newMember];
  });
  return isChanged ? Object.fromEntries(members) : value;
}

function redactText(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) {
    if (redacted === secret) return REDACTED;
    if (secret.length >= SHORTEST_WITHIN) redacted = redacted.replaceAll(secret, REDACTED);
  }
  return redacted;
}
