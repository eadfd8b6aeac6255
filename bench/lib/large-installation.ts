import { startServer, type Server } from './process.ts';
import { startPostgres, type Postgres } from '../../script/postgres.ts';
import { postgresOn } from '@kethub/server/testing/databases';
import { deploy, type DeployedService } from '@kethub/server/testing/kethub';
import { startSplitKethub, type SplitKethub } from '@kethub/server/testing/split-kethub';
import { trivial } from './services.ts';
import type { WorkersQuestion } from '../servers/simulated-workers.ts';

/** An installation in several processes, whose service was deployed by a real worker that has ended since. */
export interface LargeInstallation {
  readonly postgres: Postgres;
  readonly kethub: SplitKethub;
  readonly databaseUrl: string;
  readonly service: DeployedService;
  /** Starts simulated workers in so many processes. */
  workers(count: number, processes: number, run: Pick<WorkersQuestion, 'atOnce' | 'runMs'>): Promise<Server<unknown>[]>;
  close(): Promise<void>;
}

export async function startLargeInstallation(
  settings: Readonly<Record<string, string>>,
  ofPostgres: Readonly<Record<string, string | number>> = {},
): Promise<LargeInstallation> {
  const server = { max_connections: 5_000, shared_buffers: '512MB', ...ofPostgres };
  const postgres = await startPostgres({ durable: true, settings: server });
  const [kind] = postgresOn(postgres.url);
  if (!kind) throw new Error('No PostgreSQL');
  const kethub = await startSplitKethub(kind, {
    KETHUB_RATE_LIMIT_REQUESTS: '0',
    KETHUB_OWNER_PENDING_EXECUTIONS: '0',
    KETHUB_LOG_LEVEL: 'warn',
    ...settings,
  });
  const service = await deploy(kethub.client, 'Trivial', trivial.files);
  await kethub.worker.end();
  // It ended for good: an execution is not refused because it would have been too small.
  await kethub.platform.database.write((transaction) => transaction.deleteFrom('workers').execute());
  const databaseUrl = kethub.settings['DATABASE_URL'] ?? '';
  const started: Server<unknown>[] = [];
  return {
    postgres,
    kethub,
    databaseUrl,
    service,
    async workers(count, processes, run) {
      const question: WorkersQuestion = { databaseUrl, workers: count / processes, ...run };
      const servers = await Promise.all(
        Array.from({ length: processes }, () => startServer<unknown>('servers/simulated-workers.ts', question, '0,1')),
      );
      started.push(...servers);
      return servers;
    },
    async close() {
      await Promise.all(started.map((one) => one.stop()));
      await kethub.close();
      await postgres.stop();
    },
  };
}
