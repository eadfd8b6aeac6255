import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '@kethub/contract';
import type { Accounts } from '../../../people/accounts/index.ts';
import { leaveBodiesUnread, networkOf, Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { ImplementationRow } from '../../../foundation/storage/index.ts';
import { missingMb } from '../../quotas/index.ts';
import { protectedBranches } from '../protection.ts';
import { bytesLeft } from '../room.ts';
import type { GitStore } from '../store.ts';
import { createGitAdmission, type GitCaller, type GitService } from './admission.ts';
import { nameForPushed, readPushed } from './pushed.ts';
import { GitRefusal, refusalOf } from './refusal.ts';
import { advertise, exchange, protocolOf } from './serve.ts';
import { TransferSlots } from './slots.ts';

const HIDDEN = { schema: { hide: true } };
const SERVICES: readonly GitService[] = ['git-upload-pack', 'git-receive-pack'];
const LARGE_FILES = 'Git LFS is not offered. Put large data into a data pool.';

/** Serves Git over HTTP: clone, fetch and push. Every answer that is not a success is plain text. */
export async function serveGit(
  app: FastifyInstance,
  platform: Platform,
  accounts: Pick<Accounts, 'admitToken'>,
  store: GitStore,
): Promise<void> {
  const base = `${new URL(platform.addresses.git).pathname.replace(/\/$/, '')}/:owner/:repository`;
  const admit = createGitAdmission(platform, accounts);
  const serve = new GitServer(platform, store);
  await app.register(async (scope) => {
    leaveBodiesUnread(scope);
    scope.setErrorHandler((error, request, reply) => refuse(platform, error, request, reply));
    scope.get(`${base}/info/refs`, HIDDEN, async (request, reply) => {
      const { service } = request.query as { service?: unknown };
      const asked = SERVICES.find((one) => one === service);
      if (!asked) throw new GitRefusal(403, 'Clone with a Git that speaks smart HTTP (1.6.6 or later).');
      return serve.advertise(await admit(request, asked), asked, request, reply);
    });
    scope.post(`${base}/git-upload-pack`, HIDDEN, async (request, reply) =>
      serve.fetch(await admit(request, 'git-upload-pack'), request, reply),
    );
    scope.post(`${base}/git-receive-pack`, HIDDEN, async (request, reply) =>
      serve.push(await admit(request, 'git-receive-pack'), request, reply),
    );
    scope.all(`${base}/info/lfs/*`, HIDDEN, () => {
      throw new GitRefusal(404, LARGE_FILES);
    });
  });
}

class GitServer {
  readonly #platform: Platform;
  readonly #store: GitStore;
  readonly #slots: TransferSlots;

  constructor(platform: Platform, store: GitStore) {
    this.#platform = platform;
    this.#store = store;
    this.#slots = new TransferSlots(platform.configuration.repositories.transfers);
  }

  async advertise(caller: GitCaller, service: GitService, request: FastifyRequest, reply: FastifyReply) {
    const release = this.#slots.take(callerName(caller, request));
    reply.raw.once('close', release);
    const repository = await this.#store.repositories.open(caller.implementation);
    const version = service === 'git-upload-pack' ? protocolOf(request) : null;
    const args = [service.slice('git-'.length), '--stateless-rpc', '--http-backend-info-refs', '.'];
    const child = this.#store.git.spawn({ repository, access: 'READ', args, environment: protocol(version) });
    reply.raw.once('close', () => child.kill());
    return advertise(child, service, version === 'version=2', reply);
  }

  async fetch({ implementation, ...caller }: GitCaller, request: FastifyRequest, reply: FastifyReply) {
    const release = this.#slots.take(callerName(caller, request));
    reply.raw.once('close', release);
    const repository = await this.#store.repositories.open(implementation);
    const args = ['upload-pack', '--stateless-rpc', '.'];
    const environment = protocol(protocolOf(request));
    const child = this.#store.git.spawn({ repository, access: 'READ', args, environment });
    return exchange(child, 'git-upload-pack', request, reply, 0);
  }

  async push({ implementation, ...caller }: GitCaller, request: FastifyRequest, reply: FastifyReply) {
    const { pushBytes } = this.#platform.configuration.repositories;
    const release = this.#slots.take(callerName(caller, request));
    let isFollowed = false;
    try {
      const limitsOfPush = await roomFor(this.#platform, implementation);
      const repository = await this.#store.repositories.beginWrite(implementation);
      const pushed = nameForPushed(this.#platform.newId());
      const args = ['receive-pack', '--stateless-rpc', '.'];
      const environment = { ...limitsOfPush, HOOK_PUSHED: pushed };
      const child = this.#store.git.spawn({ repository, access: 'WRITE', args, environment });
      const pushOf = async () => {
        const changes = await readPushed(path.join(repository, pushed));
        return caller.personId === null ? null : { personId: caller.personId, changes };
      };
      // The push may go on after its client has gone, so its place is kept until it has ended.
      void this.#store.follow(implementation, child.ended, pushOf).finally(release);
      isFollowed = true;
      return await exchange(child, 'git-receive-pack', request, reply, pushBytes);
    } catch (error) {
      if (!(error instanceof GitRefusal)) this.#platform.log.error({ err: error }, 'push failed');
      if (!isFollowed) release();
      throw error;
    }
  }
}

function protocol(version: string | null): Record<string, string> {
  return version === null ? {} : { GIT_PROTOCOL: version };
}

function callerName({ personId }: Pick<GitCaller, 'personId'>, { ip }: FastifyRequest): string {
  return personId ?? `network ${networkOf(ip)}`;
}

/** The limits of a push, for the hook. Throws a GitRefusal of 507 when the disk is nearly full. */
async function roomFor(platform: Platform, implementation: ImplementationRow): Promise<Record<string, string>> {
  const { configuration } = platform;
  const missing = missingMb(configuration);
  if (missing > 0)
    throw new GitRefusal(507, `The disk of the platform is nearly full: the operator has to free ${missing} MiB.`);
  return {
    HOOK_PROTECTED: protectedBranches(implementation),
    HOOK_REFS: String(limits.refsOfImplementation),
    HOOK_KILOBYTES_LEFT: String(Math.floor((await bytesLeft(platform, implementation)) / 1024)),
    HOOK_FILE_BYTES: String(configuration.repositories.fileBytes),
  };
}

function refuse(platform: Platform, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = error instanceof Problem ? refusalOf(error) : error;
  if (refusal instanceof GitRefusal && refusal.status < 500) return answer(reply, refusal);
  const told = refusal instanceof GitRefusal ? refusal : new GitRefusal(500, 'Something failed inside the platform.');
  if (told.status === 500) platform.log.error({ reqId: request.id, err: error }, 'Git over HTTP failed');
  return answer(reply, told);
}

function answer(reply: FastifyReply, { status, message, headers }: GitRefusal): FastifyReply {
  return reply
    .status(status)
    .headers({ ...headers, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .send(`${message}\n`);
}
