import path from 'node:path';
import type { UsageLimits } from '@kethub/contract';
import { Type, type Static } from 'typebox';
import { Ajv } from 'ajv';
import { ContainerEngineSettings, containersOf, type ContainerSettings } from './containers.ts';
import { keycloakOf, type KeycloakSettings } from './keycloak.ts';
import { mailOf, type MailSettings } from './mail.ts';
import { networksOf, onPremiseOf, type OnPremiseSettings } from './on-premise.ts';
import { blobsOf, ProcessSettings, rolesOf, type BlobSettings, type Role, type Roles } from './processes.ts';
import { Refusal } from './refusal.ts';
import { gpusOf, SchedulingSettings, type CapacitySettings, type TurnSettings } from './scheduling.ts';
import { metricsOf, tracingOf, type MetricsSettings, type TracingSettings } from './telemetry.ts';
import { upstreamOf, type UpstreamSettings } from './upstream.ts';

export { Refusal, type KeycloakSettings, type MailSettings, type OnPremiseSettings, type UpstreamSettings };
export type { SmtpSettings } from './mail.ts';
export type { BlobSettings, CapacitySettings, Role, Roles, TurnSettings };
export type { ContainerSettings };
export type { MetricsSettings, TracingSettings };

/** Every setting, its type, default and meaning. docs/configuration.md is generated from this table. */
export const ConfigurationSchema = Type.Object({
  KETHUB_HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address to listen on. `0.0.0.0` opens the platform to the network.',
  }),
  KETHUB_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 8080,
    description: 'Port of the platform interface, the identity provider and the dashboard.',
  }),
  KETHUB_GATEWAY_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 8081,
    description: 'Port of the gateway.',
  }),
  KETHUB_DATA_DIR: Type.String({
    default: '.kethub',
    description: 'Data folder: database, blobs, keys and running executions. Relative to where the command is run.',
  }),
  KETHUB_PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'Public address of the platform when it stands behind a proxy. Default: `http://localhost:<KETHUB_PORT>`.',
    }),
  ),
  KETHUB_GATEWAY_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Public address of the gateway. Default: `http://localhost:<KETHUB_GATEWAY_PORT>`.',
    }),
  ),
  KETHUB_TRUSTED_PROXIES: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F.:/, ]+$',
      description:
        'Addresses or networks (`10.0.0.0/8`) of proxies, separated by commas, whose `X-Forwarded-For` is believed. Without it everybody behind a proxy is one address, also for the limits on wrong passwords. Default: none.',
    }),
  ),
  KETHUB_INSTANCE_KEY: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description:
        '32 bytes in hex that seal secrets at rest. Default: made once and kept in `<data folder>/instance.key`.',
    }),
  ),
  KETHUB_IDENTITY_PROVIDER: Type.Enum(['embedded', 'keycloak'], {
    default: 'embedded',
    description:
      'Where people are known and sign in: in Kethub itself, or in a realm of a Keycloak. The four settings below belong to `keycloak`.',
  }),
  KETHUB_OIDC_ISSUER: Type.Optional(
    Type.String({
      pattern: '^https?://.+/realms/[^/?#]+/?$',
      description:
        'Issuer of the login sessions: address of the realm, exactly as its discovery document names it. Default: none.',
    }),
  ),
  KETHUB_OIDC_AUDIENCE: Type.Optional(
    Type.String({
      description: 'Audience that an access token must name to be accepted. Default: `kethub`.',
    }),
  ),
  KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: Type.Optional(
    Type.String({
      description: 'Client whose service account may view and manage the users of the realm. Default: none.',
    }),
  ),
  KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: Type.Optional(
    Type.String({ description: 'Secret of that client. Default: none.' }),
  ),
  KETHUB_ADMINISTRATORS: Type.Optional(
    Type.String({
      description:
        'Usernames at the identity provider, separated by commas, of the approved users who decide on registrations and switch accounts off. Default: none.',
    }),
  ),
  KETHUB_REGISTRATION: Type.Enum(['approval', 'open', 'closed'], {
    default: 'approval',
    description:
      'Who registers at the embedded identity provider and has confirmed the address: waits for an administrator (`approval`), is an approved user (`open`); or nobody can register (`closed`).',
  }),
  KETHUB_SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      description:
        'Mail server, with user and password if it asks for them: `smtp://user:password@mail.example.org:587`. `smtps` is TLS from the start. Default: mails are written to `<data folder>/outbox`.',
    }),
  ),
  KETHUB_MAIL_FROM: Type.Optional(
    Type.String({
      pattern: '^([^<>@\\r\\n]*<[^<>@\\s]+@[^<>@\\s]+>|[^<>@\\s]+@[^<>@\\s]+)$',
      maxLength: 320,
      description:
        'Address that mails come from: `kethub@example.org` or `Kethub <kethub@example.org>`. Default: none, needed with a mail server.',
    }),
  ),
  KETHUB_RATE_LIMIT_LOOKUPS: Type.Integer({
    minimum: 50,
    maximum: 1_000_000,
    default: 1_000,
    description:
      'How often a minute one person may look up people: reading a name or an image costs 1, ten names of a batch 1, a search 5, the status of a registration 20. All callers of one address together: ten times as much. Counted by each process.',
  }),
  KETHUB_RATE_LIMIT_REQUESTS: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description:
      'Requests a minute that one person may make at the platform interface, and one application at the gateway. 0 is no limit. Counted by each process.',
  }),
  KETHUB_SUBSCRIPTION_REQUESTS_PER_MINUTE: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description:
      'Requests a minute through one subscription, where the provider of the service has set nothing. 0 is no limit. Counted by each process.',
  }),
  KETHUB_SUBSCRIPTION_EXECUTIONS_PER_DAY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    description:
      'Executions that one subscription may start on one day (UTC), where the provider of the service has set nothing. 0 is no limit.',
  }),
  KETHUB_SUBSCRIPTION_EXECUTIONS_PER_MONTH: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    description: 'The same for a calendar month.',
  }),
  KETHUB_AUDIT_KEEP_DAYS: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 730,
    description:
      'How long the audit log keeps who has changed rights, keys and publications. 0 keeps it for good. The log of a person goes with the account.',
  }),
  KETHUB_SIGNING_KEY_DAYS: Type.Integer({
    minimum: 0,
    maximum: 3_650,
    default: 90,
    description:
      'How long a key signs the bearer tokens of the gateway, or the tokens of the embedded identity provider, until a new one does. What the old one has signed stays valid until it expires. 0 keeps the first key for good.',
  }),
  KETHUB_METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description:
        'Port at which this process serves Prometheus metrics, at `/metrics`. See [Monitoring](monitoring.md). Default: none, no metrics.',
    }),
  ),
  KETHUB_METRICS_HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address to serve the metrics on. Whoever reaches it reads them: keep it inside.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'OpenTelemetry collector (OTLP over HTTP) that traces are sent to, such as `http://localhost:4318`. Default: none, no traces.',
    }),
  ),
  KETHUB_TRACE_RATIO: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.1,
    description:
      'Share of the requests that are traced, where the caller has not decided in `traceparent`. Recording costs time.',
  }),
  KETHUB_SIGN_IN_ISSUER: Type.Optional(
    Type.String({
      pattern: '^https?://',
      maxLength: 2_000,
      description:
        'Issuer of another OpenID provider at which people can sign in, beside the embedded one: its address, exactly as its discovery document names it. See [Sign-in](sign-in.md). Default: none.',
    }),
  ),
  KETHUB_SIGN_IN_CLIENT_ID: Type.Optional(
    Type.String({ maxLength: 500, description: 'Client that Kethub is at that provider. Default: none.' }),
  ),
  KETHUB_SIGN_IN_CLIENT_SECRET: Type.Optional(
    Type.String({ description: 'Secret of that client. Default: none, for a public client.' }),
  ),
  KETHUB_SIGN_IN_NAME: Type.Optional(
    Type.String({
      maxLength: 60,
      description: 'What people call that provider; the button reads `Sign in with <name>`. Default: none.',
    }),
  ),
  ...SchedulingSettings,
  KETHUB_DATA_POOL_MB: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 51_200,
    description: 'What one data pool may hold, all its files together. One file may have at most 5 GB in any case.',
  }),
  KETHUB_WARM_MEMORY_MB: Type.Integer({
    minimum: 0,
    default: 512,
    description: 'Memory that pre-warmed processes may hold while they wait. 0 switches warm starts off.',
  }),
  KETHUB_SANDBOX_ROOT: Type.Enum(['own', 'machine'], {
    default: 'own',
    description:
      "What user code sees as `/usr`. `own`: Python from packages of Debian, built in the data folder beside the first start (21 MB are downloaded); until then, and where that is not possible, and with `machine`, a part of this machine's.",
  }),
  KETHUB_SERVICE_NETWORKS: Type.Optional(
    Type.String({
      description:
        'Networks (`10.1.0.0/16`), separated by commas, in which hosts may be that managed services declare to call. Default: none beside public addresses.',
    }),
  ),
  ...ContainerEngineSettings,
  KETHUB_ON_PREMISE_NETWORKS: Type.Optional(
    Type.String({
      description:
        'Networks (`10.1.0.0/16`), separated by commas, in which on-premise services may run beside public addresses. Whoever may create services can then reach what listens there. Default: none: loopback, private and link-local addresses are refused.',
    }),
  ),
  KETHUB_ON_PREMISE_PORTS: Type.String({
    default: '443,8443',
    description: 'Ports and ranges (`8000-8999`), separated by commas, at which on-premise services may listen.',
  }),
  KETHUB_ON_PREMISE_HTTP: Type.Enum(['off', 'on'], {
    default: 'off',
    description:
      'Whether on-premise services may be reached without TLS (`on`): inputs, results and credentials then cross the network in clear.',
  }),
  KETHUB_ON_PREMISE_CA_FILE: Type.Optional(
    Type.String({
      description:
        'File with certificates in PEM of authorities that are trusted for on-premise services, beside the public ones. Default: none.',
    }),
  ),
  KETHUB_ON_PREMISE_BODY_MB: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description: 'Largest body of a request that is forwarded to an on-premise service. 0 is no limit.',
  }),
  KETHUB_DEMO: Type.Enum(['auto', 'off'], {
    default: 'auto',
    description:
      '`auto` prepares and runs the demo on the first start, unless people are known to a Keycloak; `off` starts an empty platform.',
  }),
  KETHUB_LOG_LEVEL: Type.Enum(['debug', 'info', 'warn', 'error'], {
    default: 'info',
    description: 'Least severity that the platform logs.',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'PostgreSQL to use. Default: SQLite in the data folder.',
    }),
  ),
  ...ProcessSettings,
});

type Settings = Static<typeof ConfigurationSchema>;

export interface RateLimitSettings {
  /** Units that one caller may look up in a minute; one network 10 times as many, people behind one proxy share it. */
  readonly lookups: number;
  /** Requests that one person or application may make in a minute; null without this limit. */
  readonly requests: number | null;
}

export interface Configuration {
  readonly host: string;
  readonly port: number;
  readonly gatewayPort: number;
  readonly dataDir: string;
  readonly publicUrl: string | null;
  readonly gatewayUrl: string | null;
  readonly instanceKey: string | null;
  /** null with the embedded identity provider. */
  readonly keycloak: KeycloakSettings | null;
  /** Another OpenID provider at which people can sign in, or null. */
  readonly upstream: UpstreamSettings | null;
  /** Usernames, in the form in which the identity provider compares them. */
  readonly administrators: readonly string[];
  readonly registration: 'approval' | 'open' | 'closed';
  readonly mail: MailSettings;
  readonly rateLimits: RateLimitSettings;
  /** Of a subscription for which the provider of the service has set nothing. */
  readonly subscriptionLimits: UsageLimits;
  /** null is for good. */
  readonly auditKeepDays: number | null;
  /** How long a key signs, in milliseconds; null is for good. */
  readonly signingKeyMs: number | null;
  /** null without metrics. */
  readonly metrics: MetricsSettings | null;
  /** null without traces. */
  readonly tracing: TracingSettings | null;
  readonly onPremise: OnPremiseSettings;
  /** Of all files of one data pool together. */
  readonly dataPoolBytes: number;
  readonly maxConcurrentExecutions: number;
  readonly capacity: CapacitySettings;
  readonly turns: TurnSettings;
  readonly warmMemoryMb: number;
  readonly sandboxRoot: 'own' | 'machine';
  /** Private networks that managed services may reach when they declare hosts there. */
  readonly serviceNetworks: readonly string[];
  /** null without a container engine. */
  readonly containers: ContainerSettings | null;
  readonly demo: 'auto' | 'off';
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly trustedProxies: readonly string[];
  readonly databaseUrl: string | null;
  readonly roles: Roles;
  readonly workerPort: number;
  readonly workerLeaseMs: number;
  readonly blobs: BlobSettings;
}

const validate = new Ajv({ coerceTypes: true, useDefaults: true, allErrors: true }).compile<Settings>(
  ConfigurationSchema,
);

/** Settings whose value is not repeated when it is refused. */
const SECRETS: ReadonlySet<string> = new Set<keyof Settings>([
  'DATABASE_URL',
  'KETHUB_INSTANCE_KEY',
  'KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET',
  'KETHUB_S3_SECRET_ACCESS_KEY',
  'KETHUB_SIGN_IN_CLIENT_SECRET',
  'KETHUB_SMTP_URL',
]);

/** A setting of the command line, which may be used from the same shell. */
const COMMAND_LINE_SETTING = 'KETHUB_CONFIG_DIR';

/** Reads the environment once. Throws Refusal for an unusable or unknown KETHUB_ variable, so that a typing error is not a silent default. */
export function readConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  const known = Object.keys(ConfigurationSchema.properties);
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('KETHUB_') && !known.includes(name) && name !== COMMAND_LINE_SETTING,
  );
  if (unknown.length > 0) throw new Refusal(`Unknown setting ${unknown.join(', ')}. Settings: ${known.join(', ')}.`);
  const given: Record<string, unknown> = Object.fromEntries(
    known.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  if (!validate(given)) {
    const reasons = (validate.errors ?? []).map((error) => {
      const name = error.instancePath.slice(1);
      const allowed = 'allowedValues' in error.params ? ` (${String(error.params['allowedValues'])})` : '';
      const value = SECRETS.has(name) ? '' : `=${JSON.stringify(environment[name])}`;
      return `${name}${value} ${error.message ?? 'is invalid'}${allowed}`;
    });
    throw new Refusal(reasons.join('; '));
  }
  const keycloak = keycloakOf(given);
  return {
    host: given.KETHUB_HOST,
    port: given.KETHUB_PORT,
    gatewayPort: given.KETHUB_GATEWAY_PORT,
    dataDir: path.resolve(given.KETHUB_DATA_DIR),
    publicUrl: given.KETHUB_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    gatewayUrl: given.KETHUB_GATEWAY_URL?.replace(/\/+$/, '') ?? null,
    instanceKey: given.KETHUB_INSTANCE_KEY ?? null,
    keycloak,
    upstream: upstreamOf(given),
    administrators: namesOf(given.KETHUB_ADMINISTRATORS),
    registration: given.KETHUB_REGISTRATION,
    mail: mailOf(given),
    rateLimits: {
      lookups: given.KETHUB_RATE_LIMIT_LOOKUPS,
      requests: given.KETHUB_RATE_LIMIT_REQUESTS || null,
    },
    onPremise: onPremiseOf(given),
    dataPoolBytes: given.KETHUB_DATA_POOL_MB * 1024 * 1024,
    subscriptionLimits: {
      requestsPerMinute: given.KETHUB_SUBSCRIPTION_REQUESTS_PER_MINUTE || null,
      executionsPerDay: given.KETHUB_SUBSCRIPTION_EXECUTIONS_PER_DAY || null,
      executionsPerMonth: given.KETHUB_SUBSCRIPTION_EXECUTIONS_PER_MONTH || null,
    },
    auditKeepDays: given.KETHUB_AUDIT_KEEP_DAYS || null,
    signingKeyMs: given.KETHUB_SIGNING_KEY_DAYS * 24 * 60 * 60 * 1000 || null,
    metrics: metricsOf(given),
    tracing: tracingOf(given),
    maxConcurrentExecutions: given.KETHUB_MAX_CONCURRENT_EXECUTIONS,
    capacity: {
      cpus: given.KETHUB_WORKER_CPUS ?? null,
      memoryBytes: given.KETHUB_WORKER_MEMORY_MB === undefined ? null : given.KETHUB_WORKER_MEMORY_MB * 1024 * 1024,
      gpus: gpusOf(given.KETHUB_WORKER_GPUS),
      warmBytes: given.KETHUB_WARM_MEMORY_MB * 1024 * 1024,
    },
    turns: {
      ownerAtOnce: given.KETHUB_OWNER_EXECUTIONS_AT_ONCE || null,
      shortRunSeconds: given.KETHUB_SHORT_RUN_SECONDS || null,
    },
    warmMemoryMb: given.KETHUB_WARM_MEMORY_MB,
    sandboxRoot: given.KETHUB_SANDBOX_ROOT,
    serviceNetworks: networksOf('KETHUB_SERVICE_NETWORKS', given.KETHUB_SERVICE_NETWORKS),
    containers: containersOf(given),
    // The demo makes a user; a realm is not Kethub's to put one in.
    demo: keycloak ? 'off' : given.KETHUB_DEMO,
    logLevel: given.KETHUB_LOG_LEVEL,
    trustedProxies: given.KETHUB_TRUSTED_PROXIES?.split(/[\s,]+/).filter(Boolean) ?? [],
    databaseUrl: given.DATABASE_URL ?? null,
    roles: rolesOf(given),
    workerPort: given.KETHUB_WORKER_PORT,
    workerLeaseMs: given.KETHUB_WORKER_LEASE_SECONDS * 1000,
    blobs: blobsOf(given),
  };
}

/** Usernames, in the one form in which all identity providers keep them. */
function namesOf(list = ''): string[] {
  const names = list.split(',').map((name) => name.trim().normalize('NFC').toLowerCase());
  return [...new Set(names)].filter(Boolean);
}
