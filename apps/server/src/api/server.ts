import type { FastifyInstance } from 'fastify';
import { refusals, security, securitySchemes, type Accounts } from '../people/accounts/index.ts';
import { applicationEndpoints } from '../catalog/applications/index.ts';
import { auditEndpoints } from '../people/audit/index.ts';
import type { Dashboard } from '../dashboard/index.ts';
import { dataPoolEndpoints, dataPoolFileEndpoints, dataPoolUploadEndpoints } from '../catalog/datapools/index.ts';
import type { Executions, Workflows } from '../running/executions/index.ts';
import { createHttpServer, leaveBodiesUnread, mount, platformLimits } from '../foundation/http/index.ts';
import {
  automationEndpoints,
  importEndpoints,
  implementationInvitationEndpoints,
  implementationEndpoints,
  readingEndpoints,
  serveGit,
  writingEndpoints,
  type GitStore,
} from '../catalog/implementations/index.ts';
import type { IdentityService } from '../people/identity/index.ts';
import { findingEndpoints } from '../catalog/finding/index.ts';
import { downloadEndpoints } from '../running/downloads/index.ts';
import { platformStatusEndpoints } from '../running/platform-status/index.ts';
import { eventEndpoints } from '../running/events/index.ts';
import { jobEndpoints } from '../running/jobs/index.ts';
import { onPremiseEndpoints } from '../catalog/on-premise/index.ts';
import { limitEndpoints } from '../catalog/limits/index.ts';
import { createMailer } from '../foundation/mail/index.ts';
import { InvitationMails, organizationEndpoints } from '../people/organizations/index.ts';
import { marketplaceEndpoints, nameProvider } from '../catalog/marketplace/index.ts';
import { meteringEndpoints } from '../catalog/metering/index.ts';
import type { Platform } from '../foundation/platform.ts';
import { providerTokenEndpoints } from '../catalog/provider-tokens/index.ts';
import { storageEndpoints } from '../catalog/quotas/index.ts';
import { qcCatalogEndpoints } from '../catalog/qc-catalog/index.ts';
import { registrationEndpoints } from '../people/registrations/index.ts';
import { acceptUploads, layerEndpoints, serviceEndpoints } from '../catalog/services/index.ts';
import { sharingEndpoints } from '../catalog/sharing/index.ts';
import { RequestObserver } from '../foundation/telemetry/index.ts';
import { workflowEndpoints } from '../running/workflows/index.ts';
import { serveDownloads } from './downloads.ts';
import { serveFrontPage } from './front-page.ts';
import { signingKeyEndpoints } from './signing-keys.ts';
import { refusalPage } from './refusal-page.ts';
import { serveProblemPages } from './problem-pages.ts';
import { signInEndpoint } from './sign-in-endpoint.ts';

/** The parts of the platform that answer at its interface. */
interface Parts {
  readonly accounts: Accounts;
  readonly identity: IdentityService;
  readonly executions: Executions;
  readonly workflows: Workflows;
  readonly dashboard: Dashboard | null;
  /** Null in a process without the role `git`. */
  readonly store: GitStore | null;
}

/** The platform interface with its description, the pages about problems and, embedded, the identity provider. */
export async function createApi(
  platform: Platform,
  { accounts, identity, executions, workflows, dashboard, store }: Parts,
): Promise<FastifyInstance> {
  const { addresses } = platform;
  const app = await createHttpServer({
    log: platform.log,
    problemsUrl: addresses.problems,
    page: refusalPage,
    title: 'Kethub platform interface',
    description: 'Accounts, services with their builds and publication, applications, subscriptions and data pools.',
    serverUrl: addresses.api,
    securitySchemes: securitySchemes(identity.tokenEndpoint),
    trustedProxies: platform.configuration.trustedProxies,
    connections: platform.connections,
    slowestBody: platform.configuration.connections.bytesPerSecond,
    bodyMemoryBytes: platform.configuration.bodyMemoryBytes,
    observer: RequestObserver.of(platform.telemetry, 'platform'),
    slowReaderMs: platform.configuration.readers.slowMs,
  });
  const prefix = new URL(addresses.api).pathname;
  await acceptUploads(app);
  // First: its hooks must be registered before other parts of the server.
  await identity.serve(app);
  const mailer = identity.mailer ?? createMailer(platform);
  if (mailer !== identity.mailer) app.addHook('onClose', () => mailer.close());
  const invitationMails = new InvitationMails(platform, mailer);
  const endpoints = [
    signInEndpoint(identity),
    ...accounts.endpoints,
    ...registrationEndpoints(platform, identity, mailer),
    ...signingKeyEndpoints(platform),
    ...layerEndpoints(platform),
    ...organizationEndpoints(platform, identity, invitationMails, nameProvider),
    ...auditEndpoints(platform),
    ...applicationEndpoints(platform),
    ...serviceEndpoints(platform, mailer),
    ...dataPoolEndpoints(platform, identity),
    ...dataPoolFileEndpoints(platform),
    ...findingEndpoints(platform),
    ...implementationEndpoints(platform, identity),
    ...importEndpoints(platform),
    ...implementationInvitationEndpoints(platform, identity, invitationMails),
    ...automationEndpoints(platform),
    ...(store ? [...readingEndpoints(platform, store), ...writingEndpoints(platform, identity, store)] : []),
    ...marketplaceEndpoints(platform, identity),
    ...meteringEndpoints(platform),
    ...providerTokenEndpoints(platform),
    ...limitEndpoints(platform),
    ...storageEndpoints(platform),
    ...sharingEndpoints(platform, identity),
    ...jobEndpoints(platform, executions),
    ...eventEndpoints(platform),
    ...platformStatusEndpoints(platform),
    ...downloadEndpoints(platform, executions),
    ...onPremiseEndpoints(platform),
    ...qcCatalogEndpoints(platform, identity),
    ...workflowEndpoints(platform, workflows, executions),
  ];
  const options = { prefix, admit: accounts.admit, security, refusals, limits: platformLimits(platform) };
  mount(app, endpoints, options);
  await app.register(async (scope) => {
    leaveBodiesUnread(scope);
    mount(scope, dataPoolUploadEndpoints(platform), options);
  });
  if (store) await serveGit(app, platform, accounts, store);
  app.get(`${prefix}/openapi.json`, { schema: { hide: true } }, () => app.swagger());
  serveDownloads(app, prefix);
  serveProblemPages(app, new URL(addresses.problems).pathname);
  serveFrontPage(app, platform, identity, dashboard);
  return app;
}
