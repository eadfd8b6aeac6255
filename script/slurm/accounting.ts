import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import type { Tool } from '../system-tools.ts';

/** The accounting of Slurm, and the database in which it keeps accounts, limits and jobs. */
export const accountingTools: readonly Tool[] = [
  { what: 'the accounting of Slurm', package: 'slurmdbd', isThere: () => existsSync('/usr/sbin/slurmdbd') },
  { what: 'MariaDB', package: 'mariadb-server', isThere: () => existsSync('/usr/sbin/mariadbd') },
];

const ATTEMPTS = 600;

export interface Accounting {
  /** Lines of slurm.conf by which a controller uses it. */
  readonly settings: string;
  stop(): Promise<void>;
}

/** Starts a database and the accounting below a folder, for a cluster of that name. `munge`: the socket of its MUNGE. */
export async function startAccounting(folder: string, munge: string, cluster: string): Promise<Accounting> {
  const at = (name: string): string => path.join(folder, name);
  const [databasePort, port] = [await freePort(), await freePort()];
  const database = await startDatabase(at('database'), databasePort);
  const configuration = at('slurmdbd.conf');
  writeFileSync(
    configuration,
    `AuthType=auth/munge
AuthInfo=socket=${munge}
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=${at('jwt.key')}
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=${port}
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=${databasePort}
StorageUser=slurm
StoragePass=slurm
StorageLoc=accounting
LogFile=${at('log/accounting')}
PidFile=${at('run/accounting.pid')}
`,
    { mode: 0o600 },
  );
  const server = spawn('/usr/sbin/slurmdbd', ['-D'], {
    env: { PATH: '/usr/sbin:/usr/bin', SLURM_CONF: at('slurm.conf'), SLURMDBD_CONF: configuration },
    cwd: folder,
    stdio: 'ignore',
  });
  const accounting: Accounting = {
    settings: `AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=${port}
AccountingStoragePass=${munge}
AccountingStorageEnforce=limits,qos
AccountingStorageTRES=license/cplex
`,
    async stop() {
      for (const one of [server, database]) await ended(one);
    },
  };
  try {
    // Its own commands need a slurm.conf, which names the accounting. The controller needs its cluster to be known.
    writeFileSync(at('slurm.conf'), `ClusterName=${cluster}\nSlurmctldHost=localhost\nAuthType=auth/munge\nAuthInfo=socket=${munge}\n${accounting.settings}`); // prettier-ignore
    await until('the accounting of Slurm', server, at('log/accounting'), () => sacctmgr(at('slurm.conf'), 'list', 'cluster')); // prettier-ignore
    sacctmgr(at('slurm.conf'), 'add', 'cluster', cluster);
    return accounting;
  } catch (error) {
    await accounting.stop();
    throw error;
  }
}

/** Runs a command of sacctmgr. Returns false when it failed, which it also says of an entry that is there. */
export function sacctmgr(configuration: string, ...words: string[]): boolean {
  const run = spawnSync('sacctmgr', ['--immediate', ...words], {
    env: { PATH: '/usr/bin:/bin', SLURM_CONF: configuration },
    stdio: 'ignore',
    timeout: 30_000,
  });
  return run.status === 0;
}

async function startDatabase(folder: string, port: number): Promise<ChildProcess> {
  mkdirSync(folder);
  execFileSync('chown', ['mysql', folder]);
  const where = ['--no-defaults', '--user=mysql', `--datadir=${folder}/data`];
  execFileSync('mariadb-install-db', [...where, '--auth-root-authentication-method=normal', '--skip-test-db'], { stdio: 'ignore' }); // prettier-ignore
  writeFileSync(
    `${folder}/init.sql`,
    "CREATE DATABASE accounting;\nCREATE USER 'slurm'@'127.0.0.1' IDENTIFIED BY 'slurm';\nGRANT ALL ON accounting.* TO 'slurm'@'127.0.0.1';\n",
  );
  const server = spawn(
    '/usr/sbin/mariadbd',
    [
      ...where,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      `--socket=${folder}/socket`,
      `--log-error=${folder}/log`,
      `--init-file=${folder}/init.sql`,
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-lock-wait-timeout=900',
    ],
    { cwd: '/', stdio: 'ignore' },
  );
  await until('MariaDB', server, `${folder}/log`, () => {
    const asked = ['--no-defaults', '--host=127.0.0.1', `--port=${port}`, '--user=slurm', '--password=slurm', 'accounting']; // prettier-ignore
    return spawnSync('mariadb', [...asked, '--execute=SELECT 1'], { stdio: 'ignore' }).status === 0;
  });
  return server;
}

async function until(what: string, server: ChildProcess, log: string, isReady: () => boolean): Promise<void> {
  for (let attempt = 0; !isReady(); attempt++) {
    if (attempt === ATTEMPTS || server.exitCode !== null || server.signalCode !== null) {
      const words = existsSync(log) ? readFileSync(log, 'utf8').slice(-2_000) : '';
      server.kill('SIGKILL');
      throw new Error(`${what} does not start: ${words}`);
    }
    await pause(100);
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const over = once(server, 'exit');
  server.kill('SIGTERM');
  const late = setTimeout(() => server.kill('SIGKILL'), 20_000);
  await over;
  clearTimeout(late);
}
