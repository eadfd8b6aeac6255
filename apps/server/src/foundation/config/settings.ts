import { Ajv } from 'ajv';
import { Type, type Static } from 'typebox';
import { AccountFields } from './accounts.ts';
import { AddressFields } from './addresses.ts';
import { ConnectionFields } from './connections.ts';
import { ContainerFields } from './containers.ts';
import { DashboardFields } from './dashboard.ts';
import { KeptFields } from './kept.ts';
import { KeycloakFields } from './keycloak.ts';
import { LimitFields } from './limits.ts';
import { MailFields } from './mail.ts';
import { OnPremiseFields } from './on-premise.ts';
import { ProcessFields } from './processes.ts';
import { ReaderFields } from './readers.ts';
import { Refusal } from './refusal.ts';
import { RepositoryFields } from './repositories.ts';
import { SchedulingFields } from './scheduling.ts';
import { KubernetesFields } from './kubernetes.ts';
import { SlurmFields } from './slurm.ts';
import { TransferFields } from './transfers.ts';
import { TelemetryFields } from './telemetry.ts';
import { UpstreamFields } from './upstream.ts';
import { UserCodeFields } from './user-code.ts';

/** All settings with type, default and meaning. docs/configuration.md is generated from this table. */
export const SettingsSchema = Type.Object({
  ...AddressFields,
  ...KeptFields,
  ...KeycloakFields,
  ...AccountFields,
  ...MailFields,
  ...UpstreamFields,
  ...LimitFields,
  ...ReaderFields,
  ...RepositoryFields,
  ...SchedulingFields,
  ...UserCodeFields,
  ...ConnectionFields,
  ...ContainerFields,
  ...SlurmFields,
  ...KubernetesFields,
  ...TransferFields,
  ...OnPremiseFields,
  ...TelemetryFields,
  ...ProcessFields,
  ...DashboardFields,
  KETHUB_DEMO: Type.Enum(['auto', 'off'], {
    default: 'auto',
    description:
      '`auto` prepares and runs the demo on the first start, unless people are known to a Keycloak; `off` starts an empty platform.',
  }),
  KETHUB_LOG_LEVEL: Type.Enum(['debug', 'info', 'warn', 'error'], {
    default: 'info',
    description: 'Least severity that the platform logs.',
  }),
});

export type Settings = Static<typeof SettingsSchema>;

const validate = new Ajv({ coerceTypes: true, useDefaults: true, allErrors: true }).compile<Settings>(SettingsSchema);

/** Settings whose value is left out of a Refusal. */
const SECRETS: ReadonlySet<string> = new Set<keyof Settings>([
  'DATABASE_URL',
  'KETHUB_INSTANCE_KEY',
  'KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET',
  'KETHUB_S3_SECRET_ACCESS_KEY',
  'KETHUB_SIGN_IN_CLIENT_SECRET',
  'KETHUB_SMTP_URL',
]);

/** A setting of the command line, which the environment of a shared shell may contain. */
const COMMAND_LINE_SETTING = 'KETHUB_CONFIG_DIR';

/**
 * Reads the environment. Throws Refusal for unusable and unknown KETHUB_ variables, so that no typing error is
 * ignored.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const known = Object.keys(SettingsSchema.properties);
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
  return given;
}
