import type { ServiceVersion } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { serviceQuery, versionQuery } from '../../data/queries.ts';
import { ExecutionPanel } from '../executions/execution-panel.tsx';
import { RunInput } from './run-input.tsx';
import { useChosen } from './use-chosen.ts';
import { useServiceAddress } from './use-service.ts';

/** The run page: the input on one side, the execution on the other. The execution stands in the address. */
export function RunPage() {
  const { acting, serviceId, at } = useServiceAddress();
  const navigate = useNavigate();
  const mayRun = useMay('execution:start');
  const search = useSearch({ strict: false }) as { version?: unknown; execution?: unknown };
  const service = useQuery(serviceQuery(acting, serviceId));
  const asked = typeof search.version === 'string' ? search.version : null;
  const newest = service.data?.versions ?? [];
  // The service has its newest versions only; an older one stands in the address.
  const isOlder = service.isSuccess && asked !== null && newest.every(({ version }) => version !== asked);
  const older = useQuery({ ...versionQuery(acting, serviceId, asked ?? ''), enabled: isOlder });
  const known = isOlder && older.data ? [...newest, older.data] : newest;
  const runnable = known.filter(isRunnable);
  const first = runnable.find(({ version }) => version === asked)?.version ?? runnable[0]?.version;
  const chosen = useChosen(serviceId, asked, first) ?? '';
  // A chosen version that is built anew cannot be run for a moment.
  const offered = known.filter((one) => one.version === chosen || isRunnable(one));
  const executionId = typeof search.execution === 'string' ? search.execution : null;
  const go = (next: { readonly version?: string; readonly execution?: string }): void =>
    void navigate({ to: `${at}/run`, search: next });
  if (!service.data || (chosen === '' && isOlder && older.isPending)) return null;
  if (service.data.type === 'ON_PREMISE')
    return (
      <div className="panel empty">
        This service runs elsewhere, so it takes no jobs here. Applications call it at its address.
      </div>
    );
  if (!mayRun)
    return (
      <RunSplit executionId={executionId}>
        <MayNotRun />
      </RunSplit>
    );
  if (chosen === '')
    return (
      <div className="panel empty">
        <p style={{ margin: 0 }}>No version of it can be run yet: the build goes on, or it has failed.</p>
        <Link to={`${at}/versions`}>Look at the build</Link>
      </div>
    );
  return (
    <>
      {asked !== null && asked !== chosen && (
        <p className="quiet" role="status">
          Version {asked} cannot be run: it is retired, or not built. This is {chosen}.
        </p>
      )}
      <RunSplit executionId={executionId}>
        <OwnInput
          key={`${serviceId} ${chosen}`}
          name={service.data.name}
          version={chosen}
          executionId={executionId}
          versions={offered.map(({ version, state }) => ({
            value: version,
            label: `${version} · ${state === 'DRAFT' ? 'draft' : 'published'}`,
          }))}
          onVersion={(version) => go({ version, ...(executionId !== null && { execution: executionId }) })}
          onStarted={(id) => go({ version: chosen, execution: id })}
        />
      </RunSplit>
    </>
  );
}

function isRunnable({ build, state, workflow, target }: ServiceVersion): boolean {
  return (
    (state !== 'RETIRED' && target === undefined && build?.status === 'SUCCEEDED') ||
    (workflow !== undefined && state === 'PUBLISHED')
  );
}

/** The input of a version of an own service, which the platform describes with the version. */
function OwnInput(props: Omit<Parameters<typeof RunInput>[0], 'detail'>) {
  const { acting, serviceId } = useServiceAddress();
  const detail = useQuery(versionQuery(acting, serviceId, props.version));
  return <RunInput {...props} detail={detail} />;
}

/** Stands in the place of the input for those who may look only. */
export function MayNotRun() {
  return <div className="panel quiet">Maintainers and owners can run services here.</div>;
}

/** The input on one side, the execution on the other. */
export function RunSplit({
  executionId,
  children,
}: {
  readonly executionId: string | null;
  readonly children: ReactNode;
}) {
  const acting = useActing();
  const mayRun = useMay('execution:start');
  return (
    <div className="split">
      {children}
      {executionId === null ? (
        <div className="panel empty quiet">
          <p style={{ margin: 0 }}>
            {mayRun
              ? 'Fill in the input and press Run. The log appears here while it runs, then the result.'
              : 'The log and the result of an execution appear here. Executions lists them.'}
          </p>
        </div>
      ) : (
        <ExecutionPanel
          id={executionId}
          more={
            <Button
              size="xs"
              variant="default"
              renderRoot={(props) => <Link to={`${acting.base}/executions/${executionId}`} {...props} />}
            >
              Full page
            </Button>
          }
        />
      )}
    </div>
  );
}
