import { CliFailure } from '../failures.ts';

interface Kind {
  /** The noun of the messages, such as `application`. */
  readonly noun: string;
  /** First sentence of the message when there is none. */
  readonly missing: string;
  /** Commands that list and create one. */
  readonly remedies: readonly string[];
}

/** Finds the one with this id, or with a name that only one has. Throws CliFailure when none is, or more than one. */
export function selectOne<T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
  wanted: string,
  { noun, missing, remedies }: Kind,
): T {
  const meant = all.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  const [found, other] = meant;
  if (found && !other) return found;
  if (found) {
    const ids = meant.map(({ id }) => id).join(', ');
    throw new CliFailure(
      'usage',
      'ambiguous',
      `More than one ${noun} is named "${wanted}": ${ids}. Name one by its id.`,
    );
  }
  const names = all.map(({ name }) => name).join(', ');
  const known = names === '' ? ' You have none yet.' : ` There is: ${names}.`;
  throw new CliFailure('notFound', 'not-found', `${missing}${known}`, remedies);
}
