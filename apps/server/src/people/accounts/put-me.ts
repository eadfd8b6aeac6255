import type { UpdateUserRequest } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { lockAccountShared } from '../deletions/index.ts';
import { requireMatch, type Answer } from '../../foundation/http/index.ts';
import type { Person } from '../../foundation/platform.ts';
import type { AccountServices } from './services.ts';
import { invalid } from './invalid.ts';
import { lockUser, updateProfile } from './queries.ts';
import { profileAnswer, userOf } from './read-me.ts';

/** Changes the profile of the caller. An absent or null field keeps its value; an empty text clears it. */
export async function putMe(
  services: AccountServices,
  person: Person,
  { currentPosition, homepage, about }: UpdateUserRequest,
  request: FastifyRequest,
): Promise<Answer> {
  if (homepage && !isWebAddress(homepage)) {
    throw invalid('/homepage', 'must be an absolute http or https address, such as https://example.org');
  }
  const { platform } = services;
  const { id } = await userOf(services, person);
  const user = await platform.database.write(async (transaction) => {
    await lockAccountShared(platform.database, transaction, id);
    const known = await lockUser(transaction, id, platform.now());
    requireMatch(request.headers['if-match'], profileAnswer(known).headers.etag);
    return updateProfile(transaction, id, {
      current_position: changed(known.current_position, currentPosition),
      homepage: changed(known.homepage, homepage),
      about: changed(known.about, about),
    });
  });
  return profileAnswer(user);
}

function changed(stored: string | null, sent: string | null | undefined): string | null {
  return sent === undefined || sent === null ? stored : sent || null;
}

/**
 * Returns whether a text is an http or https address. URL.canParse alone accepts `https:example.org` and trims blanks.
 */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}
