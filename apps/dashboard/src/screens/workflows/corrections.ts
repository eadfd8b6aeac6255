import { writeExact } from '../../data/exact-json.ts';

type Variables = Readonly<Record<string, unknown>>;

/** The variables that were changed or added. One that is missing stays as it is: an instance forgets none. */
export function changedOnly(before: Variables, after: Variables): Variables {
  return Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => !Object.hasOwn(before, name) || writeExact(before[name], 0) !== writeExact(value, 0),
    ),
  );
}
