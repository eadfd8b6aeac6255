import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { getCACertificates } from 'node:tls';
import { EgressProxies } from '@kethub/runtime/egress';
import type { Mailer } from '../../../foundation/mail/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { ImplementationRow } from '../../../foundation/storage/index.ts';
import { missingMb } from '../../quotas/index.ts';
import { findImplementation } from '../queries.ts';
import type { GitStore } from '../store.ts';
import { adoptRefs, dropIncoming, requireFileSizes } from './adopt.ts';
import { ImportFailure } from './failure.ts';
import { fetchFrom, type Surroundings } from './fetch.ts';
import {
  beginImport,
  dueImports,
  failImport,
  finishImport,
  knownImports,
  noteStep,
  type DueImport,
} from './records.ts';
import { openCredential } from './credential.ts';

/** Milliseconds between two looks for imports that are due. */
const LOOK_MS = 1_000;
/** Milliseconds between two notes of the progress of an import. */
const NOTE_MS = 1_000;
/** Imports that run at a time; of one owner one. */
const AT_ONCE = 2;
/** Milliseconds after which an import is given up. */
const LONGEST_MS = 30 * 60_000;
/** User without any right, whom the proxy runs as where the platform is root. */
const NOBODY = 65_534;

export interface ImporterOptions {
  /** Name servers in the place of those of the system. */
  readonly nameServers?: readonly string[];
}

/** Fills implementations from other repositories: once, or every hour as mirrors. Runs in the role `git`. */
export class Importer {
  readonly #platform: Platform;
  readonly #store: GitStore;
  readonly #mailer: Mailer;
  readonly #folder: string;
  readonly #surroundings: Surroundings;
  /** Imports that run here, by implementation. */
  readonly #running = new Map<string, { ownerId: string; gone: AbortController; ended: Promise<void> }>();
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(platform: Platform, store: GitStore, mailer: Mailer, { nameServers = [] }: ImporterOptions = {}) {
    this.#platform = platform;
    this.#store = store;
    this.#mailer = mailer;
    // The folder of the platform's data cannot be reached by another user.
    this.#folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-imports-'));
    chmodSync(this.#folder, 0o711);
    const { importNetworks, importCertificates } = platform.configuration.repositories;
    const certificates = path.join(this.#folder, 'certificates.pem');
    writeFileSync(certificates, [...getCACertificates('default'), importCertificates ?? ''].join('\n'));
    const sockets = path.join(this.#folder, 'proxies');
    mkdirSync(sockets, { mode: 0o711 });
    const uid = process.getuid?.() === 0 ? NOBODY : null;
    const proxies = new EgressProxies(sockets, uid, (folder) => folder, nameServers);
    proxies.allow(importNetworks);
    this.#surroundings = { git: store.git, proxies, certificates };
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#round = this.#look()
        .catch((error: unknown) => {
          if (!this.#isStopped) this.#platform.log.error({ err: error }, 'imports of repositories could not be read');
        })
        .then(() => {
          if (!this.#isStopped) this.start();
        });
    }, LOOK_MS);
    this.#timer.unref();
  }

  /** Breaks off all imports. The next process begins them again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#round;
    for (const { gone } of this.#running.values()) gone.abort();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    this.#surroundings.proxies.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #look(): Promise<void> {
    await this.#endWithdrawn();
    if (this.#running.size >= AT_ONCE) return;
    for (const due of await dueImports(this.#platform)) {
      if (this.#isStopped || this.#running.size >= AT_ONCE) return;
      const owners = [...this.#running.values()].map(({ ownerId }) => ownerId);
      const { implementation_id: id, owner_id: ownerId } = due;
      if (this.#running.has(id) || owners.includes(ownerId) || this.#store.repositories.isWritten(id)) continue;
      const gone = new AbortController();
      const ended = this.#run(due, gone.signal).finally(() => this.#running.delete(id));
      this.#running.set(id, { ownerId, gone, ended });
    }
  }

  /** Breaks off imports that were withdrawn, or whose implementation was deleted. */
  async #endWithdrawn(): Promise<void> {
    const known = await knownImports(this.#platform, [...this.#running.keys()]);
    for (const [id, { gone }] of this.#running) if (!known.has(id)) gone.abort();
  }

  async #run(due: DueImport, signal: AbortSignal): Promise<void> {
    const { implementation_id: id } = due;
    try {
      if (!(await beginImport(this.#platform, due))) return;
      const implementation = await findImplementation(this.#platform.database.read, id);
      if (!implementation) return;
      await this.#fill(implementation, due, signal);
      await finishImport(this.#platform, due);
    } catch (error) {
      if (signal.aborted) return;
      // The messages of Git may repeat what the other server has sent, so they are not logged.
      if (!(error instanceof ImportFailure))
        this.#platform.log.error({ implementation: id, error: nameOf(error) }, 'an import has failed');
      const text = error instanceof ImportFailure ? error.message : 'Something failed inside the platform.';
      await failImport(this.#platform, this.#mailer, due, text).catch((failure: unknown) => {
        this.#platform.log.error({ err: failure, implementation: id }, 'the end of an import could not be recorded');
      });
    }
  }

  async #fill(implementation: ImplementationRow, due: DueImport, signal: AbortSignal): Promise<void> {
    const { repositories, git, sizeQuota } = this.#store;
    const { configuration } = this.#platform;
    const { id } = implementation;
    const missing = missingMb(configuration);
    if (missing > 0)
      throw new ImportFailure(`The disk of the platform is nearly full: the operator has to free ${missing} MiB.`);
    const reserved = await sizeQuota.reserve(implementation, Infinity);
    const repository = await repositories.beginWrite(implementation).catch((error: unknown) => {
      reserved.release();
      throw error;
    });
    let isChanged = false;
    let isWhole = false;
    try {
      const origin = {
        url: due.url,
        credential: openCredential(this.#platform, due),
        bytes: reserved.bytes,
        milliseconds: LONGEST_MS,
      };
      const head = await fetchFrom(this.#surroundings, repository, origin, signal, this.#noteOf(id));
      await requireWhole(repository);
      await requireFileSizes(git, repository, configuration.repositories.fileBytes);
      isChanged = await adoptRefs(git, repository);
      if (implementation.head === null && head !== null) await this.#setDefaultBranch(id, head);
      isWhole = true;
    } finally {
      await this.#tidy(repository, isWhole).catch((error: unknown) => {
        if (!this.#isStopped)
          this.#platform.log.error(
            { implementation: id, error: nameOf(error) },
            'the files of a failed import could not be removed',
          );
      });
      if (isChanged && isWhole) await this.#store.follow(implementation, Promise.resolve({ code: 0, message: '' }));
      else repositories.endWrite(id, isWhole);
      reserved.release();
    }
  }

  /** Removes the hidden refs and, after a failure, the objects that no branch needs. */
  async #tidy(repository: string, isWhole: boolean): Promise<void> {
    const { git } = this.#store;
    await dropIncoming(git, repository);
    if (isWhole) return;
    await rm(path.join(repository, 'shallow'), { force: true });
    await git.output({ repository, access: 'WRITE', args: ['repack', '-a', '-d', '-q'] });
    await git.output({ repository, access: 'WRITE', args: ['prune', '--expire=now'] });
  }

  async #setDefaultBranch(id: string, branch: string): Promise<void> {
    await this.#platform.database.write((transaction) =>
      transaction.updateTable('implementations').set({ default_branch: branch }).where('id', '=', id).execute(),
    );
  }

  #noteOf(id: string): (step: string) => void {
    let last = 0;
    return (step) => {
      if (performance.now() - last < NOTE_MS) return;
      last = performance.now();
      void noteStep(this.#platform, id, step).catch(() => undefined);
    };
  }
}

/** Throws ImportFailure for a repository that has a part of its history only. */
async function requireWhole(repository: string): Promise<void> {
  const shallow = await readFile(path.join(repository, 'shallow'), 'utf8').catch(() => '');
  if (shallow.trim() !== '')
    throw new ImportFailure('The repository has only a part of its history (a shallow clone). Complete it first.');
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
