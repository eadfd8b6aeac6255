import { Button, Tabs } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { useActing, useMay } from '../../data/context.tsx';
import { executionQuery, isEnded, resultQuery } from '../../data/queries.ts';
import { Icon } from '../../look/icons.tsx';
import { CopyButton, State } from '../../look/parts.tsx';
import { duration, parseTime } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { Result } from '../../viewers/viewer.tsx';
import { workflowErrors } from './workflow-errors.ts';
import { Files, Pictures } from './files.tsx';
import { InstanceLink } from './instance-link.tsx';
import { LogView } from './log-view.tsx';
import { Record } from './record.tsx';
import { plain } from './result-members.ts';

/** Errors of a workflow that are shown. */
const MOST_ERRORS = 20;

/** One execution as it goes on: its state, result, log, files and record. */
export function ExecutionPanel({ id, more }: { readonly id: string; readonly more?: ReactNode }) {
  const acting = useActing();
  const queries = useQueryClient();
  const mayCancel = useMay('execution:cancel');
  const execution = useQuery(executionQuery(acting, id));
  const ended = execution.data ? isEnded(execution.data) : false;
  const [chosen, setChosen] = useState<string | null>(null);
  useEffect(() => setChosen(null), [id]);
  const result = useQuery({ ...resultQuery(acting, id), enabled: ended && execution.data?.status !== 'CANCELLED' });
  const cancel = useMutation({
    mutationFn: () => acting.platform.cancelOwnedExecution({ executionId: id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [acting.base, 'execution', id] }),
  });
  if (isMissing(execution)) return <Problem error={execution.error} onRetry={() => void execution.refetch()} />;
  if (!execution.data) return <div className="panel quiet">Loading…</div>;
  const { status, createdAt, startedAt, endedAt } = execution.data;
  const files = namesOfFiles(result.data);
  const tab = chosen ?? (ended ? 'result' : 'log');
  return (
    <section className="panel stack" aria-label="Execution">
      <h2 className="sr-only">Execution</h2>
      <div className="row apart">
        <div className="row" role="status">
          <State of={status} />
          <Clock createdAt={createdAt} startedAt={startedAt} endedAt={endedAt} />
        </div>
        <div className="row">
          {more}
          {!ended && mayCancel && (
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon name="stop" size={13} />}
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              Cancel
            </Button>
          )}
          <CopyButton value={id} label="Copy the id of the execution" />
        </div>
      </div>
      {cancel.error && <Problem error={cancel.error} />}
      <Tabs value={tab} onChange={setChosen} keepMounted={false}>
        <Tabs.List style={{ marginBottom: 12 }}>
          <Tabs.Tab value="result">Result</Tabs.Tab>
          <Tabs.Tab value="log">Log</Tabs.Tab>
          <Tabs.Tab value="files">Files{files.length > 0 && ` ${files.length}`}</Tabs.Tab>
          <Tabs.Tab value="record">Record</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="result">
          <Outcome status={status} result={result.data} error={result.error} id={id} onLog={() => setChosen('log')} />
        </Tabs.Panel>
        <Tabs.Panel value="log">
          <LogView id={id} name={id} follow={(options) => acting.platform.executions.followLog(id, options)} />
        </Tabs.Panel>
        <Tabs.Panel value="files">
          <Files executionId={id} names={files} ended={ended} />
        </Tabs.Panel>
        <Tabs.Panel value="record">
          <Record executionId={id} ended={ended} />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

function Outcome({
  status,
  result,
  error,
  id,
  onLog,
}: {
  readonly status: string;
  readonly result: unknown;
  readonly error: unknown;
  readonly id: string;
  readonly onLog: () => void;
}) {
  switch (status) {
    case 'PENDING':
      return <p className="quiet">It waits for its turn. The result appears here.</p>;
    case 'RUNNING':
      return <p className="quiet">It runs. The result appears here; the log is shown meanwhile.</p>;
    case 'CANCELLED':
      return <p className="quiet">It was cancelled, so there is no result. The log shows how far it got.</p>;
    case 'SUCCEEDED':
      if (error) return <Problem error={error} />;
      if (result === undefined) return <p className="quiet">Loading…</p>;
      return (
        <div className="stack">
          <Pictures executionId={id} names={namesOfFiles(result)} />
          <Result value={plain(result)} name={id} />
        </div>
      );
    default: {
      const { title, detail } = (result ?? {}) as { title?: unknown; detail?: unknown };
      const errors = workflowErrors(result);
      return (
        <div className="stack">
          <div className="panel" style={{ borderLeft: '3px solid var(--failed)' }} role="alert">
            <strong>{typeof title === 'string' ? title : 'It did not succeed.'}</strong>
            {typeof detail === 'string' && <div style={{ whiteSpace: 'pre-wrap' }}>{detail}</div>}
            {errors.slice(0, MOST_ERRORS).map(({ errorCode, failedElement, message }, at) => (
              <div key={at} style={{ whiteSpace: 'pre-wrap' }}>
                <span className="mono">{failedElement}</span>: {message} <span className="quiet">({errorCode})</span>
              </div>
            ))}
            {errors.length > MOST_ERRORS && <div className="quiet">And {errors.length - MOST_ERRORS} more.</div>}
            {errors.length > 0 && <InstanceLink workflowId={id}>Its instance shows how far it got</InstanceLink>}
          </div>
          {status === 'UNKNOWN' && (
            <p className="quiet">
              The machine was lost while it ran, so nobody knows how far it got. Start it again if that does no harm.
            </p>
          )}
          <div>
            <Button variant="default" size="xs" onClick={onLog}>
              Read the log
            </Button>
          </div>
        </div>
      );
    }
  }
}

/** Time for which it waits or runs, or ran. */
function Clock({
  createdAt,
  startedAt,
  endedAt,
}: {
  readonly createdAt: string;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
}) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (endedAt !== undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [endedAt]);
  const begin = parseTime(startedAt ?? createdAt);
  const ms = Math.max(0, (endedAt === undefined ? now : parseTime(endedAt)) - begin);
  const word = endedAt !== undefined ? 'ran' : startedAt !== undefined ? 'running for' : 'waiting for';
  if (endedAt !== undefined && startedAt === undefined) return null;
  return <span className="quiet numbers">{`${word} ${ms < 1_000 ? 'under 1 s' : duration(ms)}`}</span>;
}

function namesOfFiles(result: unknown): string[] {
  if (typeof result !== 'object' || result === null || !('_links' in result)) return [];
  const links = result._links;
  return typeof links === 'object' && links !== null
    ? Object.keys(links).filter((name) => name !== 'self' && name !== 'status')
    : [];
}
