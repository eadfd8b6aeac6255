import type { WorkflowIncidentGroup } from '@kethub/contract';
import { Button, Modal, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { writeExact } from '../../data/exact-json.ts';
import { isMissing } from '../../data/form-query.ts';
import { incidentGroupsQuery, type IncidentFilter } from '../../data/workflow-queries.ts';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { isValues, jsonOf, Unfinished } from '../../forms/values.ts';
import { LongText } from '../../look/long-text.tsx';
import { PageHead, shortId, Time } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { searchOf } from './instances-filter.tsx';

/** Everything that keeps workflows from going on, by cause: the same error at the same element of one version. */
export function IncidentsPage() {
  useTitle('Incidents');
  const acting = useActing();
  const filter = filterIn(useSearch({ strict: false }));
  const groups = useQuery(incidentGroupsQuery(acting, filter));
  const isFiltered = Object.keys(filter).length > 0;
  const mayRetry = useMay('workflow-instance:retry');
  const [asked, setAsked] = useState<WorkflowIncidentGroup | null>(null);
  if (isMissing(groups)) return <Problem error={groups.error} onRetry={() => void groups.refetch()} />;
  return (
    <>
      <PageHead
        title="Incidents"
        note={<span className="quiet">Where workflows stand still, the most frequent cause first.</span>}
      />
      {!groups.data && <div className="quiet">Loading…</div>}
      {isFiltered && (
        <div className="row">
          <span>
            Only{filter.serviceId !== undefined && ' of one workflow'}
            {filter.elementId !== undefined && ` at ${filter.elementId}`}
            {filter.errorCode !== undefined && ` with ${filter.errorCode}`}.
          </span>
          <Link to="." search={{}}>
            Show all
          </Link>
        </div>
      )}
      {groups.data?.length === 0 && (
        <section className="panel">
          <p style={{ margin: 0 }}>
            Nothing stands still. A task that fails, or an expression with an error, is shown here.
          </p>
        </section>
      )}
      <div className="stack">
        {groups.data?.map((group) => (
          <Group
            key={keyOf(group)}
            group={group}
            base={acting.base}
            onRetry={mayRetry ? () => setAsked(group) : null}
          />
        ))}
      </div>
      {asked && <RetryAll group={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

function filterIn({ service, element, error }: Readonly<Record<string, unknown>>): IncidentFilter {
  const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
  const [serviceId, elementId, errorCode] = [text(service), text(element), text(error)];
  return {
    ...(/^[0-9a-f-]{36}$/.test(serviceId) && { serviceId }),
    ...(elementId !== '' && { elementId }),
    ...(errorCode !== '' && { errorCode }),
  };
}

function keyOf({ serviceId, version, elementId, type, errorCode }: WorkflowIncidentGroup): string {
  return [serviceId, version, elementId, type, errorCode].join(' ');
}

function Group({
  group,
  base,
  onRetry,
}: {
  readonly group: WorkflowIncidentGroup;
  readonly base: string;
  readonly onRetry: (() => void) | null;
}) {
  const { serviceId, serviceName, version, elementId, elementName, incidents, instances, firstAt, lastAt, newest } =
    group;
  const { error, remedy, instanceId } = newest;
  return (
    <section className="panel stack" aria-label={`${serviceName}, ${elementName ?? elementId}`}>
      <div className="row apart">
        <h2>
          <Link to={`${base}/services/${serviceId}/instances`}>{serviceName}</Link>{' '}
          <span className="quiet">{version}</span>: {elementName ?? elementId}
        </h2>
        <span className="quiet numbers">
          <Link
            to={`${base}/services/${serviceId}/instances`}
            search={searchOf({ version, elementId, errorCode: error.errorCode })}
          >
            {incidents === 1 ? '1 incident' : `${incidents} incidents`}
            {instances !== incidents && ` in ${instances} instances`}
          </Link>
        </span>
      </div>
      <div style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        <strong>{error.errorCode}</strong>: <LongText>{error.message}</LongText>
      </div>
      {remedy !== undefined && <p style={{ margin: 0 }}>{remedy}</p>}
      <div className="row apart">
        <span className="quiet">
          Since <Time at={firstAt} />
          {lastAt !== firstAt && (
            <>
              , last <Time at={lastAt} />
            </>
          )}
          . Newest:{' '}
          <Link to={`${base}/services/${serviceId}/instances/${instanceId}`} className="mono" title={instanceId}>
            {shortId(instanceId)}
          </Link>
        </span>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {incidents === 1 ? 'Try again …' : 'Try all again …'}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Tries the incidents of a group again, with variables that are corrected in each of them. */
function RetryAll({ group, onClose }: { readonly group: WorkflowIncidentGroup; readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [complaint, setComplaint] = useState<string | null>(null);
  const { serviceId, version, elementId, errorCode, incidents } = group;
  const retry = useMutation({
    mutationFn: (variables: object | null) =>
      acting.platform.retryWorkflowIncidents({
        jsonText: writeExact({ serviceId, version, elementId, errorCode, ...(variables && { variables }) }, 0),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [acting.base, 'incidents'] }),
  });
  const send = (): void => {
    const value = text.trim() === '' ? null : jsonOf(text);
    if (value !== null && !isValues(value))
      return setComplaint(value instanceof Unfinished ? value.complaint : 'Variables are a JSON object: { … }.');
    setComplaint(null);
    return retry.mutate(value);
  };
  return (
    <Modal opened onClose={onClose} title="Try again" lockScroll={false}>
      {retry.data ? (
        <div className="stack" role="status">
          <p style={{ margin: 0 }}>
            {retry.data.retried === 1 ? '1 incident is' : `${retry.data.retried} incidents are`} tried again.
          </p>
          {retry.data.foreign > 0 && (
            <p style={{ margin: 0 }}>
              {retry.data.foreign} were started for others. Their variables are theirs: try them again without
              variables.
            </p>
          )}
          {retry.data.isLeft && <p style={{ margin: 0 }}>There are more. Do it once more when these are done.</p>}
          <Button onClick={onClose}>Close</Button>
        </div>
      ) : (
        <Form className="stack" request={retry} onSubmit={send}>
          <p style={{ margin: 0 }}>
            {incidents === 1 ? 'The incident is' : `All ${incidents} incidents are`} tried again. First mend the cause.
          </p>
          <Textarea
            label="Variables that are corrected first (JSON, optional)"
            description="They are set in each instance, in the scope of the element."
            placeholder='{ "shots": 1000 }'
            autosize
            minRows={3}
            maxRows={18}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={text}
            error={complaint ?? complaintAt(retry.error, '/variables')}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <FormProblem error={retry.error} fields={['/variables']} />
          <Button type="submit" loading={retry.isPending}>
            Try again
          </Button>
        </Form>
      )}
    </Modal>
  );
}
