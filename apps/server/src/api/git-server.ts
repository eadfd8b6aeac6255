import type { FastifyInstance } from 'fastify';
import { readingEndpoints, serveGit, writingEndpoints, type GitStore } from '../catalog/implementations/index.ts';
import { acceptUploads } from '../catalog/services/index.ts';
import { createHttpServer, mount, platformLimits } from '../foundation/http/index.ts';
import type { Platform } from '../foundation/platform.ts';
import { RequestObserver } from '../foundation/telemetry/index.ts';
import { refusals, security, securitySchemes, type Accounts } from '../people/accounts/index.ts';
import type { IdentityService } from '../people/identity/index.ts';

/** The server of a process that has the role `git` without the platform interface. */
export async function createGitServer(
  platform: Platform,
  accounts: Accounts,
  identity: IdentityService,
  store: GitStore,
): Promise<FastifyInstance> {
  const { addresses, configuration } = platform;
  const app = await createHttpServer({
    log: platform.log,
    problemsUrl: addresses.problems,
    title: 'Kethub repositories',
    description: 'The Git repositories of implementations.',
    serverUrl: addresses.api,
    securitySchemes: securitySchemes(identity.tokenEndpoint),
    trustedProxies: configuration.trustedProxies,
    connections: platform.connections,
    slowestBody: configuration.connections.bytesPerSecond,
    bodyMemoryBytes: configuration.bodyMemoryBytes,
    observer: RequestObserver.of(platform.telemetry, 'platform'),
    slowReaderMs: configuration.readers.slowMs,
  });
  await acceptUploads(app);
  mount(app, [...readingEndpoints(platform, store), ...writingEndpoints(platform, identity, store)], {
    prefix: new URL(addresses.api).pathname,
    admit: accounts.admit,
    security,
    refusals,
    limits: platformLimits(platform),
  });
  await serveGit(app, platform, accounts, store);
  return app;
}
