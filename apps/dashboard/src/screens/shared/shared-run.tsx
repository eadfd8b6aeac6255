import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMay } from '../../data/context.tsx';
import { RunInput } from '../service/run-input.tsx';
import { MayNotRun, RunSplit } from '../service/run-page.tsx';
import { useSharedService } from './use-shared.ts';

/** Runs a shared service. What it takes is described with the service, because versions of others cannot be read. */
export function SharedRun() {
  const { at, service } = useSharedService();
  const navigate = useNavigate();
  const mayRun = useMay('execution:start');
  const search = useSearch({ strict: false }) as { version?: unknown; execution?: unknown };
  if (!service.data) return null;
  const runnable = service.data.versions.filter(({ opens }) => opens.includes('JOBS'));
  const chosen = runnable.find(({ version }) => version === search.version) ?? runnable[0];
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
        key={chosen.version}
        name={service.data.name}
        version={chosen.version}
        executionId={executionId}
        versions={runnable.map(({ version }) => ({ value: version, label: version }))}
        detail={{
          data: chosen.parameters === undefined ? {} : { parameters: chosen.parameters },
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
