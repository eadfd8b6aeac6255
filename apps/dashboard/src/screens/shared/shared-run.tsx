import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMay } from '../../data/context.tsx';
import { RunInput } from '../service/run-input.tsx';
import { MayNotRun, RunSplit } from '../service/run-page.tsx';
import { useChosen } from '../service/use-chosen.ts';
import { useSharedService } from './use-shared.ts';

/** Runs a shared service. What it takes is described with the service, because versions of others cannot be read. */
export function SharedRun() {
  const { at, serviceId, service } = useSharedService();
  const navigate = useNavigate();
  const mayRun = useMay('execution:start');
  const search = useSearch({ strict: false }) as { version?: unknown; execution?: unknown };
  const asked = typeof search.version === 'string' ? search.version : null;
  const versions = service.data?.versions ?? [];
  const runnable = versions.filter(({ opens }) => opens.includes('JOBS'));
  const first = runnable.find(({ version }) => version === asked) ?? runnable[0];
  const wanted = useChosen(serviceId, asked, first?.version);
  const chosen = versions.find(({ version }) => version === wanted);
  if (!service.data) return null;
  const executionId = typeof search.execution === 'string' ? search.execution : null;
  const go = (next: { readonly version: string; readonly execution?: string }): void =>
    void navigate({ to: `${at}/run`, search: next });
  if (!mayRun)
    return (
      <RunSplit executionId={executionId}>
        <MayNotRun />
      </RunSplit>
    );
  if (!chosen) return <div className="panel quiet">No version of it can be run.</div>;
  return (
    <RunSplit executionId={executionId}>
      <RunInput
        key={`${serviceId} ${chosen.version}`}
        name={service.data.name}
        version={chosen.version}
        executionId={executionId}
        versions={runnable.map(({ version }) => ({ value: version, label: version }))}
        detail={{
          data: { isShared: true, ...(chosen.parameters !== undefined && { parameters: chosen.parameters }) },
          error: null,
          isPending: false,
          isSuccess: true,
          refetch: service.refetch,
        }}
        onVersion={(version) => go({ version, ...(executionId !== null && { execution: executionId }) })}
        onStarted={(id) => go({ version: chosen.version, execution: id })}
      />
    </RunSplit>
  );
}
