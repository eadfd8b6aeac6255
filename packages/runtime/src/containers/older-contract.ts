import { messageOf } from '../errors.ts';
import type { Container } from './container.ts';

/** Names in one line of a warning. More are only counted. */
const MOST_NAMES = 20;
/** Path of the input in containers of the older contract. */
const OLDER_INPUT = '/var/input';
const NOW =
  'Input is one file for each property, /var/runtime/input/<property>.json; the result is /var/runtime/output/output.json.';

/** Returns the log lines for a program that has not opened all of its input. */
export async function unreadWarnings(
  { names, of }: { names: readonly string[]; of: number },
  container: Pick<Container, 'name' | 'contains'>,
): Promise<string[]> {
  const listed =
    names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '');
  if (names.length < of) return [`The program has not read all of its input in /var/runtime/input: ${listed}.`];
  const none = `The program has read nothing of its input in /var/runtime/input (${listed}): its result does not depend on it.`;
  if (await hasOlderInput(container))
    return [
      none,
      `Its image holds ${OLDER_INPUT}: it is of the older contract, and has computed from what lies there. ${NOW} Nothing is handed over in ${OLDER_INPUT}, INPUT_DATA or INPUT_PARAMS any more.`,
    ];
  return [none, `A container that reads ${OLDER_INPUT}, INPUT_DATA or INPUT_PARAMS is of the older contract. ${NOW}`];
}

async function hasOlderInput(container: Pick<Container, 'name' | 'contains'>): Promise<boolean> {
  try {
    return await container.contains(OLDER_INPUT);
  } catch (error) {
    console.error(`container ${container.name} could not be looked into: ${messageOf(error)}`);
    return false;
  }
}
