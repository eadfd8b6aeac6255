import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '@kethub/contract';
import type { Accounts } from '../../../people/accounts/index.ts';
import { closeWhenSlow, leaveBodiesUnread, Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { ImplementationRow } from '../../../foundation/storage/index.ts';
import { missingMb } from '../../quotas/index.ts';
import type { GitProcess } from '../git/git.ts';
import type { Repositories } from '../git/repositories.ts';
import { protectedBranches } from '../protection.ts';
import type { GitStore } from '../store.ts';
import { createGitAdmission, type GitCaller, type GitService } from './admission.ts';
import { nameForPushed, readPushed } from './pushed.ts';
import { GitRefusal, refusalOf } from './refusal.ts';
import {
  advertise,
  answerProbe,
  bodyOfFetch,
  bodyOfPush,
  exchangeFetch,
  exchangePush,
  protocolOf,
  whenClosed,
} from './serve.ts';
import { callerName, TransferSlots } from './slots.ts';

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
    whenClosed(reply, this.#slots.take(callerName(caller.personId, request.ip)));
    const repository = await this.#store.repositories.open(caller.implementation);
    const version = service === 'git-upload-pack' ? protocolOf(request) : null;
    const args = [service.slice('git-'.length), '--stateless-rpc', '--http-backend-info-refs', '.'];
    const child = this.#store.git.spawn({ repository, access: 'READ', args, environment: protocol(version) });
    whenClosed(reply, () => child.kill());
    this.#watch(reply);
    return advertise(child, service, version === 'version=2', reply);
  }

  async fetch({ implementation, ...caller }: GitCaller, request: FastifyRequest, reply: FastifyReply) {
    const body = bodyOfFetch(request);
    whenClosed(reply, this.#slots.take(callerName(caller.personId, request.ip)));
    const repository = await this.#store.repositories.open(implementation);
    const args = ['upload-pack', '--stateless-rpc', '.'];
    const environment = protocol(protocolOf(request));
    const child = this.#store.git.spawn({ repository, access: 'READ', args, environment });
    this.#watch(reply);
    return exchangeFetch(child, body, reply);
  }

  async push({ implementation, ...caller }: GitCaller, request: FastifyRequest, reply: FastifyReply) {
    const release = this.#slots.take(callerName(caller.personId, request.ip));
    let isFollowed = false;
    try {
      requireDisk(this.#platform);
      const body = await bodyOfPush(request, this.#platform.configuration.repositories.pushBytes);
      this.#watch(reply);
      if (body.commands.length === 0) {
        whenClosed(reply, release);
        isFollowed = true;
        return answerProbe(body, reply);
      }
      const { child, recorded } = await this.#receive(implementation, caller.personId);
      // The push may go on after its client has gone, so its slot is taken until it has ended.
      void recorded.finally(release);
      isFollowed = true;
      return await exchangePush(child, body, recorded, reply);
    } catch (error) {
      if (!isFollowed) release();
      throw error;
    }
  }

  /** Starts Git for a push. `recorded` is settled when it has ended and its repository is recorded. */
  async #receive(
    implementation: ImplementationRow,
    personId: string | null,
  ): Promise<{ child: GitProcess; recorded: Promise<void> }> {
    const { git, repositories, sizeQuota } = this.#store;
    const { pushBytes, fileBytes } = this.#platform.configuration.repositories;
    const reserved = await sizeQuota.reserve(implementation, pushBytes);
    try {
      const repository = await repositories.beginWrite(implementation);
      const pushed = nameForPushed(this.#platform.newId());
      const environment = {
        HOOK_PUSHED: pushed,
        HOOK_PROTECTED: protectedBranches(implementation),
        HOOK_REFS: String(limits.refsOfImplementation),
        HOOK_KILOBYTES_LEFT: String(Math.floor(reserved.bytes / 1024)),
        HOOK_LIMIT_IS_SHARED: reserved.isShared ? '1' : '',
        HOOK_FILE_BYTES: String(fileBytes),
      };
      const args = ['receive-pack', '--stateless-rpc', '.'];
      const child = startWrite(repositories, implementation.id, () =>
        git.spawn({ repository, access: 'WRITE', args, environment }),
      );
      const pushOf = async () => {
        const changes = await readPushed(path.join(repository, pushed));
        return personId === null ? null : { personId, changes };
      };
      const recorded = this.#store.follow(implementation, child.ended, pushOf).finally(() => reserved.release());
      return { child, recorded };
    } catch (error) {
      reserved.release();
      throw error;
    }
  }

  /** Closes the connection of a client that takes its answer too slowly, so that it gives back its slot. */
  #watch({ raw }: FastifyReply): void {
    const { connections, readers } = this.#platform.configuration;
    closeWhenSlow(raw, connections.bytesPerSecond, readers.slowMs / 1000);
  }
}

function protocol(version: string | null): Record<string, string> {
  return version === null ? {} : { GIT_PROTOCOL: version };
}

/** Starts a process for a write that has begun. Ends the write when it cannot be started. */
function startWrite(repositories: Repositories, id: string, start: () => GitProcess): GitProcess {
  try {
    return start();
  } catch (error) {
    repositories.endWrite(id, true);
    throw error;
  }
}

/** Throws a GitRefusal of 507 when the disk is nearly full. */
function requireDisk({ configuration }: Platform): void {
  const missing = missingMb(configuration);
  if (missing > 0)
    throw new GitRefusal(507, `The disk of the platform is nearly full: the operator has to free ${missing} MiB.`);
}

function refuse(platform: Platform, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = error instanceof Problem ? refusalOf(error) : error;
  if (refusal instanceof GitRefusal && refusal.status < 500) return answer(reply, refusal);
  const answered =
    refusal instanceof GitRefusal ? refusal : new GitRefusal(500, 'Something failed inside the platform.');
  // The failure of a client that has gone is its own.
  const isGone = reply.raw.destroyed;
  if (answered.status === 500)
    platform.log[isGone ? 'debug' : 'error']({ reqId: request.id, err: error }, 'Git over HTTP failed');
  return answer(reply, answered);
}

function answer(reply: FastifyReply, { status, message, headers }: GitRefusal): FastifyReply {
  return reply
    .status(status)
    .headers({ ...headers, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .send(`${message}\n`);
}
