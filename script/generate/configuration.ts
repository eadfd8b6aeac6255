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
  ],
  'Running user code': [
    'KETHUB_MAX_CONCURRENT_EXECUTIONS',
    'KETHUB_WORKER_CPUS',
    'KETHUB_WORKER_MEMORY_MB',
    'KETHUB_WORKER_GPUS',
    'KETHUB_OWNER_EXECUTIONS_AT_ONCE',
    'KETHUB_SHORT_RUN_SECONDS',
    'KETHUB_WARM_MEMORY_MB',
    'KETHUB_SANDBOX_ROOT',
    'KETHUB_LAYERS_MB',
    'KETHUB_SERVICE_NETWORKS',
  ],
  'A cluster with Slurm': [
    'KETHUB_SLURM',
    'KETHUB_SLURM_FOLDER',
    'KETHUB_SLURM_OPTIONS',
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
    'KETHUB_KUBERNETES_URL',
    'KETHUB_KUBERNETES_PORT',
    'KETHUB_KUBERNETES_IMAGE',
    'KETHUB_KUBERNETES_GPU_RESOURCE',
    'KETHUB_KUBERNETES_RESOURCES',
    'KETHUB_KUBERNETES_NODES',
    'KETHUB_KUBERNETES_NAMESPACE',
    'KETHUB_KUBERNETES_SERVER',
    'KETHUB_KUBERNETES_CA_FILE',
    'KETHUB_KUBERNETES_TOKEN_FILE',
  ],
  'Transfers with a cluster': ['KETHUB_TRANSFER_CERT_FILE', 'KETHUB_TRANSFER_KEY_FILE', 'KETHUB_TRANSFER_CA_FILE'],
  Limits: [
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
const OTHERS = 'Others';

/** Descriptions of patterns. A new pattern is shown unchanged. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^https?://': '`http://…` or `https://…`',
  '^https?://.+/realms/[^/?#]+/?$': '`https://…/realms/…`',
  '^smtps?://': '`smtp://…` or `smtps://…`',
  '^([^<>@\\r\\n]*<[^<>@\\s]+@[^<>@\\s]+>|[^<>@\\s]+@[^<>@\\s]+)$': 'an address, or `name <address>`',
  '^postgres(ql)?://': '`postgres://…` or `postgresql://…`',
  '^(auto|off|/.+)$': '`auto`, `off` or a path',
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
  return Object.entries({ ...GROUPS, [OTHERS]: others })
    .map(([title, names]): [string, string[][]] => [
      title,
      names.flatMap((name) => (properties[name] ? [row(name, properties[name])] : [])),
    ])
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => `### ${title}\n\n${table(['Setting', 'Default', 'Allowed', 'Meaning'], rows)}`)
    .join('\n');
}

function row(name: string, schema: SettingSchema): string[] {
  // The description ends with a default that is no value, because it depends on another setting.
  const [meaning = '', dependent] = (schema.description ?? '').split(/ Default: /);
  const fixed = schema.default === undefined ? '' : `\`${schema.default}\``;
  return [`\`${name}\``, dependent?.replace(/\.$/, '') ?? fixed, allowed(schema), meaning];
}

function allowed({ enum: values, minimum, maximum, pattern }: SettingSchema): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (pattern !== undefined) return PATTERNS[pattern] ?? `\`${pattern}\``;
  if (minimum === undefined) return 'text';
  return maximum === undefined ? `whole number from ${minimum}` : `${minimum} to ${maximum}`;
}
