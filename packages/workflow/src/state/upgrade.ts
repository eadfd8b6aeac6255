import { STATE_VERSION, type ElementInstance, type StoredState, type Value, type WaitingTokens } from '../types.ts';

/** A state of version 1: incidents as a list, each waiting token by itself, outputs of a loop within its element. */
interface Version1 {
  readonly v: 1;
  readonly nextKey: number;
  readonly elements: { readonly [key: string]: ElementInstance };
  readonly incidents: readonly { readonly incident: number }[];
}

/** Converts an instance that an earlier version of the platform has stored to the current form. */
export function upgraded(stored: StoredState | Version1): StoredState {
  if (stored.v === STATE_VERSION) return stored;
  const collected: { [key: string]: Value } = {};
  let { nextKey } = stored;
  const elements = Object.entries(stored.elements).map(([key, element]) => {
    const { loop, waiting } = element as ElementInstance & { loop?: { output: unknown } };
    const list = Array.isArray(loop?.output) ? (loop.output as readonly Value[]) : null;
    const output = list && nextKey;
    for (const value of list ?? []) collected[nextKey++] = value;
    return [
      key,
      { ...element, ...(waiting && { waiting: counted(waiting) }), ...(loop && { loop: { ...loop, output } }) },
    ];
  });
  return {
    ...(stored as object),
    v: STATE_VERSION,
    nextKey,
    work: null,
    elements: Object.fromEntries(elements),
    incidents: Object.fromEntries(stored.incidents.map((each) => [each.incident, each])),
    collected,
    queue: {},
    moved: {},
  } as StoredState;
}

function counted(tokens: readonly Omit<WaitingTokens, 'count'>[]): WaitingTokens[] {
  const byFlow = Map.groupBy(tokens, ({ gateway, flow }) => `${gateway} ${flow}`);
  return [...byFlow.values()].flatMap((same) => same.slice(0, 1).map((one) => ({ ...one, count: same.length })));
}
