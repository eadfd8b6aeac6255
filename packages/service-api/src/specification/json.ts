export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/** An error of a document, with a JSON Pointer (RFC 6901) to the member that is wrong. */
export interface ValidationError {
  readonly pointer: string;
  readonly detail: string;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object; undefined if the value is no object. */
export function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function membersOf(value: Json | undefined): [string, Json][] {
  return isObject(value) ? Object.entries(value) : [];
}

export function pointerOf(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The target of a reference within the document (`#/components/schemas/A`); undefined when there is none. */
export function atReference(document: Json, reference: string): Json | undefined {
  const steps = decoded(reference.slice(1))?.split('/');
  if (!steps || steps.shift() !== '') return undefined;
  let at: Json | undefined = document;
  for (const step of steps) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = /^(0|[1-9]\d{0,8})$/.test(name) ? at[Number(name)] : undefined;
    else at = member(at, name);
    if (at === undefined) return undefined;
  }
  return at;
}

function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

/** References of a chain that are followed. The value behind a longer chain is undefined. */
const HOPS = 10;

/** The value behind a local reference, or behind a chain of them; the value itself if it is no reference. */
export function resolved(document: Json, value: Json | undefined): Json | undefined {
  let at = value;
  for (let hop = 0; hop < HOPS; hop++) {
    const reference = member(at, '$ref');
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return at;
    at = atReference(document, reference);
  }
  return undefined;
}
