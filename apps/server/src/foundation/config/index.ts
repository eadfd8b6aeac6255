import type { KubernetesSettings } from '@kethub/runtime';
import { kubernetesOf } from './kubernetes.ts';
import { slurmOf, type SlurmSettings } from './slurm.ts';
import { accountsOf, type AccountSettings } from './accounts.ts';
import { addressesOf, type Addresses } from './addresses.ts';
import { connectionsOf, type ConnectionSettings } from './connections.ts';
import { containersOf, type ContainerSettings } from './containers.ts';
import { dashboardOf, type DashboardSetting } from './dashboard.ts';
import { keptOf, type Kept } from './kept.ts';
import { keycloakOf, type KeycloakSettings } from './keycloak.ts';
import { limitsOf, type LimitSettings, type RateLimitSettings } from './limits.ts';
import { mailOf, type MailSettings, type SmtpSettings } from './mail.ts';
import { onPremiseOf, type OnPremiseSettings } from './on-premise.ts';
import { blobsOf, ROLES, rolesOf, type BlobSettings, type Role, type Roles } from './processes.ts';
import { readersOf, type ReaderSettings } from './readers.ts';
import { Refusal } from './refusal.ts';
import { repositoriesOf, type RepositorySettings } from './repositories.ts';
import { capacityOf, schedulingOf, type CapacitySettings, type SchedulingSettings } from './scheduling.ts';
import { readSettings } from './settings.ts';
import { metricsOf, tracingOf, type MetricsSettings, type TracingSettings } from './telemetry.ts';
import { upstreamOf, type UpstreamSettings } from './upstream.ts';
import { userCodeOf, type UserCodeSettings } from './user-code.ts';

export { Refusal, ROLES };
export type {
  BlobSettings,
  CapacitySettings,
  ConnectionSettings,
  ContainerSettings,
  DashboardSetting,
  KeycloakSettings,
  MailSettings,
  MetricsSettings,
};
export type {
  OnPremiseSettings,
  RateLimitSettings,
  ReaderSettings,
  Role,
  Roles,
  SmtpSettings,
  TracingSettings,
  SchedulingSettings,
};
export type { SlurmSettings };
export type { UpstreamSettings };

/** Settings of the operator, read once at the start. Each part is made in the file of its name. */
export interface Configuration extends Addresses, Kept, AccountSettings, LimitSettings, UserCodeSettings {
  /** null with the embedded identity provider. */
  readonly keycloak: KeycloakSettings | null;
  /** Another OpenID provider at which people can sign in, or null. */
  readonly upstream: UpstreamSettings | null;
  readonly mail: MailSettings;
  /** null without metrics. */
  readonly metrics: MetricsSettings | null;
  /** null without traces. */
  readonly tracing: TracingSettings | null;
  readonly connections: ConnectionSettings;
  readonly onPremise: OnPremiseSettings;
  readonly readers: ReaderSettings;
  readonly repositories: RepositorySettings;
  readonly maxConcurrentExecutions: number;
  readonly capacity: CapacitySettings;
  readonly scheduling: SchedulingSettings;
  /** null without a container engine. */
  readonly containers: ContainerSettings | null;
  /** null without a cluster of Kubernetes. */
  readonly kubernetes: KubernetesSettings | null;
  /** Pods of the cluster that may wait for executions. */
  readonly warmPods: number;
  /** null without Slurm. */
  readonly slurm: SlurmSettings | null;
  readonly dashboard: DashboardSetting;
  readonly demo: 'auto' | 'off';
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly roles: Roles;
  readonly workerPort: number;
  readonly workerLeaseMs: number;
  /** Milliseconds for load balancers to notice that the process stops. */
  readonly drainMs: number;
  /** Milliseconds for the requests that a stopping process has received. */
  readonly stopMs: number;
  /** Time for running executions when a worker stops. */
  readonly finishMs: number;
  readonly blobs: BlobSettings;
}

/** Reads the settings. Throws Refusal for a setting that is unusable, unknown, or without effect beside the others. */
export function readConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  const given = readSettings(environment);
  const keycloak = keycloakOf(given);
  const kept = keptOf(given);
  return {
    ...addressesOf(given),
    ...kept,
    ...accountsOf(given),
    ...limitsOf(given),
    ...userCodeOf(given),
    keycloak,
    upstream: upstreamOf(given),
    mail: mailOf(given),
    metrics: metricsOf(given),
    tracing: tracingOf(given),
    connections: connectionsOf(given),
    onPremise: onPremiseOf(given),
    readers: readersOf(given),
    repositories: repositoriesOf(given),
    maxConcurrentExecutions: given.KETHUB_MAX_CONCURRENT_EXECUTIONS,
    capacity: capacityOf(given, given.KETHUB_WARM_MEMORY_MB),
    scheduling: schedulingOf(given),
    containers: containersOf(given),
    kubernetes: kubernetesOf(given),
    warmPods: given.KETHUB_KUBERNETES_WARM_PODS,
    slurm: slurmOf(given, kept.dataDir),
    dashboard: dashboardOf(given),
    // The demo creates a user, which Kethub must not do in a realm of a Keycloak.
    demo: keycloak ? 'off' : given.KETHUB_DEMO,
    logLevel: given.KETHUB_LOG_LEVEL,
    roles: rolesOf(given),
    workerPort: given.KETHUB_WORKER_PORT,
    drainMs: given.KETHUB_DRAIN_SECONDS * 1000,
    stopMs: given.KETHUB_STOP_SECONDS * 1000,
    finishMs: given.KETHUB_FINISH_SECONDS * 1000,
    workerLeaseMs: given.KETHUB_WORKER_LEASE_SECONDS * 1000,
    blobs: blobsOf(given),
  };
}
