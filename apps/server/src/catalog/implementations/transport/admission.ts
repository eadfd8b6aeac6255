import { isAllowed, memberRoles, type MemberRole } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import type { Accounts } from '../../../people/accounts/index.ts';
import { networkOf, Problem, RateLimiter } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { isWellFormed, type ImplementationRow, type Queries } from '../../../foundation/storage/index.ts';
import { restrict } from '../../../people/organizations/index.ts';
import { findByAddress, roleOfMember } from '../queries.ts';
import { readOnlyText } from '../rights.ts';
import { GitRefusal, passwordNeeded, refusalOf } from './refusal.ts';

/** Wrong passwords a minute of one network; then 429. */
const FAILURES = { name: 'git-passwords', units: 20, seconds: 60 };

/** A caller of a repository. */
export interface GitCaller {
  readonly implementation: ImplementationRow;
  /** null for somebody who has not signed in. */
  readonly personId: string | null;
}

export type GitService = 'git-upload-pack' | 'git-receive-pack';

/** Decides who reads and writes a repository. Throws GitRefusal. */
export function createGitAdmission(platform: Platform, { admitToken }: Pick<Accounts, 'admitToken'>) {
  const { read } = platform.database;
  const failures = new RateLimiter(FAILURES, platform.now);

  async function personOf(request: FastifyRequest): Promise<string | null> {
    const { authorization } = request.headers;
    if (authorization === undefined) return null;
    const network = networkOf(request.ip);
    const decision = failures.look(network);
    if (!decision.allowed)
      throw new GitRefusal(429, `Too many wrong passwords. Try again in ${decision.retryAfter} seconds.`, {
        'retry-after': String(decision.retryAfter),
      });
    const token = tokenOf(authorization);
    // The checksum of a token is tested before the database is asked.
    const person = isWellFormed('ket_pat_', token) ? await admitted(token) : null;
    if (person !== null) return person;
    failures.spend(network);
    throw passwordNeeded(
      token.startsWith('ket_pat_')
        ? 'The personal access token is expired, damaged or unknown. Create another one, and give it as the password.'
        : 'Give a personal access token (ket_pat_…) as the password. The password of the account is not accepted here.',
    );
  }

  async function admitted(token: string): Promise<string | null> {
    try {
      return (await admitToken(token))?.id ?? null;
    } catch (error) {
      throw error instanceof Problem ? refusalOf(error) : error;
    }
  }

  return async (request: FastifyRequest, service: GitService): Promise<GitCaller> => {
    const personId = await personOf(request);
    const { owner, repository } = request.params as { owner: string; repository: string };
    const name = /^(.{1,100})\.git$/.exec(repository)?.[1];
    const isPlain = name !== undefined && !`${owner}${name}`.includes('\0');
    const implementation = isPlain ? await findByAddress(read, owner, name) : undefined;
    const role = implementation && (await roleOfPerson(read, implementation, personId));
    if (!implementation || !role) {
      if (personId === null) throw passwordNeeded('Give a personal access token (ket_pat_…) as the password.');
      throw new GitRefusal(404, 'There is no such repository, or you may not see it.');
    }
    if (service === 'git-receive-pack' && !isAllowed(role, 'implementation:push')) {
      if (personId === null) throw passwordNeeded('Give a personal access token (ket_pat_…) as the password to push.');
      throw new GitRefusal(403, `Pushing takes the role MAINTAINER; yours is ${role}. Ask an owner of the repository.`);
    }
    if (service === 'git-receive-pack' && implementation.read_only !== null)
      throw new GitRefusal(403, readOnlyText(implementation.read_only));
    return { implementation, personId };
  };
}

/** The password of Basic authentication, or the user name where a client has put the token there. */
function tokenOf(authorization: string): string {
  const basic = /^Basic +([\w+/=]+) *$/i.exec(authorization)?.[1];
  if (basic === undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  const [user = '', password = ''] = Buffer.from(basic, 'base64').toString('utf8').split(/:(.*)/s);
  return password === '' || password === 'x-oauth-basic' ? user : password;
}

/**
 * The highest role of a person on an implementation: personally, or in an organization that owns it or is a member.
 * VIEWER for everybody where it is public; else null.
 */
async function roleOfPerson(
  queries: Queries,
  implementation: ImplementationRow,
  personId: string | null,
): Promise<MemberRole | null> {
  const everybody = implementation.visibility === 'PUBLIC' ? ('VIEWER' as const) : null;
  if (personId === null) return everybody;
  const { id, owner_type, owner_id } = implementation;
  if (owner_type === 'USER' && owner_id === personId) return 'OWNER';
  const own = await roleOfMember(queries, id, { type: 'USER', id: personId });
  const joined = await queries
    .selectFrom('memberships')
    .leftJoin('implementation_members', (join) =>
      join
        .onRef('member_id', '=', 'organization_id')
        .on('member_type', '=', 'ORGANIZATION')
        .on('implementation_id', '=', id),
    )
    .select(['organization_id', 'memberships.role as inside', 'implementation_members.role as granted'])
    .where('user_id', '=', personId)
    .execute();
  const roles = joined.flatMap(({ organization_id, inside, granted }) => {
    if (owner_type === 'ORGANIZATION' && organization_id === owner_id) return [inside];
    return granted ? [restrict(granted, { role: inside })] : [];
  });
  const rank = (role: MemberRole | null): number => (role ? memberRoles.indexOf(role) : -1);
  return [everybody, own, ...roles].toSorted((a, b) => rank(b) - rank(a))[0] ?? null;
}
