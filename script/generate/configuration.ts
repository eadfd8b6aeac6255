import { SettingsSchema } from '@kethub/server/settings';
import { between, table } from './marks.ts';

type Setting = keyof typeof SettingsSchema.properties;

/** The members of a setting's JSON Schema that the generator reads. */
interface SettingSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: string | number;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

const GROUPS: Readonly<Record<string, readonly Setting[]>> = {
  Addresses: [
    'KETHUB_HOST',
    'KETHUB_PORT',
    'KETHUB_GATEWAY_PORT',
    'KETHUB_PUBLIC_URL',
    'KETHUB_GATEWAY_URL',
    'KETHUB_GIT_URL',
    'KETHUB_TRUSTED_PROXIES',
  ],
  'What is kept, and where': [
    'KETHUB_DATA_DIR',
    'DATABASE_URL',
    'KETHUB_DATABASE_CONNECTIONS',
    'KETHUB_INSTANCE_KEY',
    'KETHUB_RESULT_KEEP_DAYS',
    'KETHUB_EXECUTION_KEEP_DAYS',
    'KETHUB_AUDIT_KEEP_DAYS',
    'KETHUB_FREE_DISK_MB',
    'KETHUB_BLOBS',
    'KETHUB_S3_ENDPOINT',
    'KETHUB_S3_REGION',
    'KETHUB_S3_ACCESS_KEY_ID',
    'KETHUB_S3_SECRET_ACCESS_KEY',
  ],
  'Several processes': [
    'KETHUB_ROLES',
    'KETHUB_WORKER_PORT',
    'KETHUB_WORKER_LEASE_SECONDS',
    'KETHUB_DRAIN_SECONDS',
    'KETHUB_STOP_SECONDS',
    'KETHUB_FINISH_SECONDS',
  ],
  'People and signing in': [
    'KETHUB_IDENTITY_PROVIDER',
    'KETHUB_OIDC_ISSUER',
    'KETHUB_OIDC_AUDIENCE',
    'KETHUB_KEYCLOAK_ADMIN_CLIENT_ID',
    'KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET',
    'KETHUB_ADMINISTRATORS',
    'KETHUB_REGISTRATION',
    'KETHUB_SMTP_URL',
    'KETHUB_MAIL_FROM',
    'KETHUB_SIGN_IN_ISSUER',
    'KETHUB_SIGN_IN_CLIENT_ID',
    'KETHUB_SIGN_IN_CLIENT_SECRET',
    'KETHUB_SIGN_IN_NAME',
    'KETHUB_SIGNING_KEY_DAYS',
  ],
  'Running user code': [
    'KETHUB_MAX_CONCURRENT_EXECUTIONS',
    'KETHUB_WORKER_CPUS',
    'KETHUB_WORKER_MEMORY_MB',
    'KETHUB_WORKER_GPUS',
    'KETHUB_OWNER_EXECUTIONS_AT_ONCE',
    'KETHUB_SHORT_RUN_SECONDS',
    'KETHUB_LONG_RUN_SECONDS',
    'KETHUB_OWNER_LONG_RUN_PERCENT',
    'KETHUB_WARM_MEMORY_MB',
    'KETHUB_SANDBOX_ROOT',
    'KETHUB_LAYERS_MB',
    'KETHUB_SERVICE_NETWORKS',
  ],
  'A container engine': ['KETHUB_CONTAINER_ENGINE', 'KETHUB_CONTAINER_NETWORK', 'KETHUB_CONTAINER_BUILD_NETWORK'],
  'A cluster with Slurm': [
    'KETHUB_SLURM',
    'KETHUB_SLURM_FOLDER',
    'KETHUB_SLURM_OPTIONS',
    'KETHUB_SLURM_SERVICES_FILE',
    'KETHUB_SLURM_USER',
    'KETHUB_SLURM_CONF',
    'KETHUB_SLURM_URL',
    'KETHUB_SLURM_PORT',
    'KETHUB_SLURM_NODE',
    'KETHUB_SLURM_PROGRAM_FOLDER',
    'KETHUB_SLURM_REST_URL',
    'KETHUB_SLURM_REST_TOKEN_FILE',
    'KETHUB_SLURM_REST_CA_FILE',
    'KETHUB_SLURM_REST_VERSION',
  ],
  'A cluster with Kubernetes': [
    'KETHUB_KUBERNETES',
    'KETHUB_KUBERNETES_PORT',
    'KETHUB_KUBERNETES_URL',
    'KETHUB_KUBERNETES_IMAGE',
    'KETHUB_KUBERNETES_GPU_RESOURCE',
    'KETHUB_KUBERNETES_RESOURCES',
    'KETHUB_KUBERNETES_NODES',
    'KETHUB_KUBERNETES_WARM_PODS',
    'KETHUB_KUBERNETES_NAMESPACE',
    'KETHUB_KUBERNETES_SERVER',
    'KETHUB_KUBERNETES_CA_FILE',
    'KETHUB_KUBERNETES_TOKEN_FILE',
  ],
  'Docker services in a cluster with Kubernetes': [
    'KETHUB_KUBERNETES_REGISTRY',
    'KETHUB_KUBERNETES_REGISTRY_TLS',
    'KETHUB_KUBERNETES_REGISTRY_CA_FILE',
    'KETHUB_KUBERNETES_PULL_SECRET',
    'KETHUB_KUBERNETES_PUSH_SECRET',
    'KETHUB_KUBERNETES_BUILDER_IMAGE',
    'KETHUB_KUBERNETES_BUILD_NAMESPACE',
    'KETHUB_KUBERNETES_BASE_REGISTRY',
    'KETHUB_KUBERNETES_BUILD_HOSTS',
    'KETHUB_KUBERNETES_BUILD_SECCOMP_PROFILE',
  ],
  'Transfers with a cluster': ['KETHUB_TRANSFER_CERT_FILE', 'KETHUB_TRANSFER_KEY_FILE', 'KETHUB_TRANSFER_CA_FILE'],
  'Services that run elsewhere': [
    'KETHUB_ON_PREMISE_NETWORKS',
    'KETHUB_ON_PREMISE_PORTS',
    'KETHUB_ON_PREMISE_HTTP',
    'KETHUB_ON_PREMISE_CA_FILE',
    'KETHUB_ON_PREMISE_BODY_MB',
  ],
  Limits: [
    'KETHUB_OWNER_STORAGE_MB',
    'KETHUB_DATA_POOL_MB',
    'KETHUB_OWNER_PENDING_EXECUTIONS',
    'KETHUB_RATE_LIMIT_LOOKUPS',
    'KETHUB_RATE_LIMIT_REQUESTS',
    'KETHUB_CONNECTIONS',
    'KETHUB_CONNECTIONS_PER_ADDRESS',
    'KETHUB_SLOWEST_BODY',
    'KETHUB_BODY_MEMORY_MB',
    'KETHUB_SUBSCRIPTION_REQUESTS_PER_MINUTE',
    'KETHUB_SUBSCRIPTION_EXECUTIONS_PER_DAY',
    'KETHUB_SUBSCRIPTION_EXECUTIONS_PER_MONTH',
    'KETHUB_LOG_READERS_PER_CALLER',
    'KETHUB_LOG_READERS_PER_LOG',
    'KETHUB_LOG_READERS',
    'KETHUB_WAITS_PER_CALLER',
    'KETHUB_WAITS',
    'KETHUB_SLOW_READER_SECONDS',
    'KETHUB_OWNER_BUILDS',
    'KETHUB_BUILDS',
    'KETHUB_REPOSITORY_MB',
    'KETHUB_OWNER_REPOSITORIES_MB',
    'KETHUB_REPOSITORY_FILE_MB',
    'KETHUB_PUSH_MB',
    'KETHUB_IMPORT_NETWORKS',
    'KETHUB_IMPORT_CA_FILE',
    'KETHUB_GIT_TRANSFERS',
    'KETHUB_GIT_TRANSFERS_PER_CALLER',
  ],
  Monitoring: ['KETHUB_METRICS_PORT', 'KETHUB_METRICS_HOST', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'KETHUB_TRACE_RATIO'],
  'Start and log': ['KETHUB_DASHBOARD', 'KETHUB_DEMO', 'KETHUB_LOG_LEVEL'],
};

/** Descriptions of patterns. Any other pattern is shown unchanged. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^https?://': '`http://…` or `https://…`',
  '^https?://.+/realms/[^/?#]+/?$': '`https://…/realms/…`',
  '^smtps?://': '`smtp://…` or `smtps://…`',
  '^([^<>@\\r\\n]*<[^<>@\\s]+@[^<>@\\s]+>|[^<>@\\s]+@[^<>@\\s]+)$': 'an address, or `name <address>`',
  '^postgres(ql)?://': '`postgres://…` or `postgresql://…`',
  '^https?://[^/]+/?$': '`http://…` or `https://…`, without a path',
  '^https://[^/]+/?$': '`https://…`, without a path',
  '^(auto|off|/.+)$': '`auto`, `off` or a path',
  '^/': 'a path from `/` on',
  '^[A-Za-z0-9._/-]+$': 'a path',
  '^[^\\u0000-\\u001f]{1,1000}$': 'a number, or numbers by type',
  '^v\\d+\\.\\d+\\.\\d+$': 'as `v0.0.38`',
  '^[A-Za-z0-9][A-Za-z0-9_.-]*$': 'the name of a network',
  '^[a-z0-9][a-z0-9-]{0,62}$': 'the name of a namespace',
  '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$': 'the name of a Secret',
  '^[A-Za-z0-9][A-Za-z0-9./_-]*$': 'the name of a resource',
  '^[A-Za-z0-9][A-Za-z0-9._:/@-]*$': 'an image',
  '^[A-Za-z0-9][A-Za-z0-9._:/@{}-]*$': 'an image',
  '^[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9._-]+)*$': 'a registry',
  '^[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+$': 'a registry and a repository in it',
  '^[0-9a-fA-F]{64}$': '64 hexadecimal digits',
  '^[0-9a-fA-F.:/, ]+$': 'addresses or networks',
};

/** docs/configuration.md with the settings of the schema. */
export function renewConfiguration(page: string): string {
  return between(page, 'settings', settings(SettingsSchema.properties));
}

function settings(properties: Readonly<Record<string, SettingSchema>>): string {
  const grouped = new Set<string>(Object.values(GROUPS).flat());
  const others = Object.keys(properties).filter((name) => !grouped.has(name));
  if (others.length > 0)
    throw new Error(`${others.join(', ')}: name the setting in a group of script/generate/configuration.ts.`);
  return Object.entries(GROUPS)
    .map(([title, names]): [string, string[][]] => [
      title,
      names.flatMap((name) => (properties[name] ? [row(name, properties[name])] : [])),
    ])
    .map(([title, rows]) => `### ${title}\n\n${table(['Setting', 'Default', 'Allowed', 'Meaning'], rows)}`)
    .join('\n');
}

function row(name: string, schema: SettingSchema): string[] {
  if (!schema.description) throw new Error(`${name}: its field has no description.`);
  // The description ends with a default that is no value, because it depends on another setting.
  const [meaning = '', dependent] = schema.description.split(/ Default: /);
  const fixed = schema.default === undefined || schema.default === '' ? 'none' : `\`${schema.default}\``;
  return [`\`${name}\``, dependent?.replace(/\.$/, '') ?? fixed, allowed(schema), meaning];
}

function allowed({ enum: values, minimum, maximum, pattern }: SettingSchema): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (pattern !== undefined) return PATTERNS[pattern] ?? `\`${pattern}\``;
  if (minimum === undefined) return 'text';
  return maximum === undefined ? `whole number from ${minimum}` : `${minimum} to ${maximum}`;
}
