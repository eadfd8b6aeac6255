import type { PlatformProcess, PlatformStatus } from '@kethub/contract';
import { useQuery } from '@tanstack/react-query';
import { useActing } from '../../data/context.tsx';
import { platformStatusQuery } from '../../data/usage-queries.ts';
import { shortId, State, TableHead, Time } from '../../look/parts.tsx';
import { bytes } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';

const DRIVERS = { SANDBOX: 'sandbox', CONTAINER: 'containers', KUBERNETES: 'Kubernetes', SLURM: 'Slurm' } as const;
const STORES = { FOLDER: 'a folder', S3: 'an S3' } as const;
const DATABASES = { SQLITE: 'SQLite', POSTGRESQL: 'PostgreSQL' } as const;
/** Part of a disk that should stay free. */
const SCARCE = 0.05;

/** The state of the whole installation: queues, processes, workers, disks and versions. */
export function Installation() {
  const status = useQuery(platformStatusQuery(useActing()));
  return (
    <section className="panel stack" aria-labelledby="installation">
      <h2 id="installation">Installation</h2>
      {status.isPending && <p className="quiet">Loading…</p>}
      {status.error && <Problem error={status.error} />}
      {status.data && <Shown status={status.data} />}
    </section>
  );
}

function Shown({ status }: { readonly status: PlatformStatus }) {
  const { database, files, executions, builds, mails, queues, processes, lostWorkers } = status;
  const versions = new Set(processes.map(({ version, schema }) => `${version} ${schema}`));
  return (
    <>
      <dl className="facts">
        <dt>Executions</dt>
        <dd>
          {executions.running} running, {executions.pending} waiting
          {executions.oldestPendingAt !== undefined && (
            <>
              {' '}
              (the first since <Time at={executions.oldestPendingAt} />)
            </>
          )}
        </dd>
        <dt>Builds</dt>
        <dd>
          {builds.running} running, {builds.pending} waiting
        </dd>
        <dt>Mails</dt>
        <dd>{mails.waiting} waiting</dd>
        <dt>Database</dt>
        <dd>
          {DATABASES[database.kind]}, {bytes(database.bytes)}, schema {database.schema}
        </dd>
        <dt>Files</dt>
        <dd>in {STORES[files]}</dd>
      </dl>
      {versions.size > 1 && (
        <p style={{ margin: 0 }} role="status">
          Processes of {versions.size} versions run side by side. Replace the older ones to finish the update.
        </p>
      )}
      <div className="scroll">
        <table className="list">
          <caption className="sr-only">Processes</caption>
          <TableHead columns={['Roles', 'Host', 'Version', 'Disk free', 'Worker', 'Started']} />
          <tbody>
            {processes.map((one) => (
              <Process key={one.id} process={one} />
            ))}
          </tbody>
        </table>
      </div>
      {queues.length > 0 && (
        <div>
          <h3>Longest queues</h3>
          <ul>
            {queues.map(({ ownerId, waiting }) => (
              <li key={ownerId}>
                <span title={ownerId}>{shortId(ownerId)}</span>: {waiting} waiting
              </li>
            ))}
          </ul>
        </div>
      )}
      {lostWorkers.length > 0 && (
        <div>
          <h3>Lost workers</h3>
          <p className="quiet">Nothing runs there. Remove them from your machines, or start them again.</p>
          <ul>
            {lostWorkers.map(({ id, host, lostAt }) => (
              <li key={id}>
                {host} <span title={id}>({shortId(id)})</span>, lost <Time at={lostAt} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Process({ process }: { readonly process: PlatformProcess }) {
  const { roles, host, version, schema, disk, worker, startedAt } = process;
  return (
    <tr>
      <td>{roles.join(', ')}</td>
      <td>{host}</td>
      <td className="numbers" title={`Knows the schema ${schema}`}>
        {version}
      </td>
      <td className="numbers">
        {disk === undefined ? (
          <span className="quiet">not known</span>
        ) : (
          <>
            {bytes(disk.freeBytes)} of {bytes(disk.bytes)}
            {disk.freeBytes < disk.bytes * SCARCE && (
              <>
                {' '}
                <State of="Nearly full" />
              </>
            )}
          </>
        )}
      </td>
      <td>
        {worker && `${worker.running} running in ${worker.drivers.map((one) => DRIVERS[one]).join(' and ')}`}
        {worker?.problem !== undefined && (
          <p style={{ margin: 0 }}>
            <State of="Broken" /> {worker.problem}
          </p>
        )}
      </td>
      <td>
        <Time at={startedAt} />
      </td>
    </tr>
  );
}
