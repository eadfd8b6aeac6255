import type { WorkflowIncident } from '@kethub/contract';
import { Button, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { writeExact } from '../../data/exact-json.ts';
import { isMissing } from '../../data/form-query.ts';
import { incidentsQuery, instanceQuery, instancesKey } from '../../data/workflow-queries.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { isValues, jsonOf, Unfinished } from '../../forms/values.ts';
import { LongText } from '../../look/long-text.tsx';
import { Code, shortId, TableHead, Time } from '../../look/parts.tsx';
import { LONGEST_NAME, shortened } from '../../modeller/kit/words.ts';
import { Problem } from '../../shell/problem.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { changedOnly } from './corrections.ts';

/** Instances of a workflow that stand still, with a link to each. */
export function IncidentsOfWorkflow() {
  const { acting, serviceId, at } = useServiceAddress();
  const incidents = useQuery(incidentsQuery(acting, serviceId));
  if (isMissing(incidents)) return <Problem error={incidents.error} onRetry={() => void incidents.refetch()} />;
  if (!incidents.data || incidents.data.length === 0) return null;
  return (
    <section className="panel flush" aria-labelledby="incidents">
      <div className="panel-head">
        <h2 id="incidents">Stands still</h2>
      </div>
      <table className="list">
        <TableHead columns={['Element', 'Cause', 'Instance', 'Since']} />
        <tbody>
          {incidents.data.map(({ instanceId, incident, elementId, elementName, error, at: since }) => (
            <tr key={`${instanceId} ${incident}`}>
              <td>
                <strong>{elementLabel({ elementId, elementName })}</strong>
              </td>
              <td>
                {error.errorCode}: <LongText>{error.message}</LongText>
              </td>
              <td>
                <Link to={`${at}/instances/${instanceId}`} className="mono" title={instanceId}>
                  {shortId(instanceId)}
                </Link>
              </td>
              <td className="quiet">
                <Time at={since} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The name of the element of an incident, else its id. */
export function elementLabel({ elementId, elementName }: Pick<WorkflowIncident, 'elementId' | 'elementName'>): string {
  return shortened(elementName ?? elementId, LONGEST_NAME);
}

/** One incident: its cause, the remedy, and another try, with corrected variables where they can be seen. */
export function Incident({ incident }: { readonly incident: WorkflowIncident }) {
  const acting = useActing();
  const { serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const mayRetry = useMay('workflow-instance:retry');
  const { elementId, error, remedy, variables, instanceId, at } = incident;
  const [text, setText] = useState(() => (variables ? writeExact(variables) : null));
  const [complaint, setComplaint] = useState<string | null>(null);
  const retry = useMutation({
    mutationFn: (corrected: object | null) =>
      acting.platform.retryWorkflowIncident({
        instanceId,
        incident: incident.incident,
        jsonText: writeExact(corrected === null ? {} : { variables: corrected }, 0),
      }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: instanceQuery(acting, instanceId).queryKey }),
        queries.invalidateQueries({ queryKey: instancesKey(acting.base, serviceId) }),
        queries.invalidateQueries({ queryKey: incidentsQuery(acting, serviceId).queryKey }),
      ]),
  });
  const again = (): void => {
    if (text === null || !variables) return retry.mutate(null);
    const value = jsonOf(text);
    if (!isValues(value))
      return setComplaint(value instanceof Unfinished ? value.complaint : 'Variables are a JSON object: { … }.');
    setComplaint(null);
    const changed = changedOnly(variables, value);
    return retry.mutate(Object.keys(changed).length === 0 ? null : changed);
  };
  return (
    <section
      className="panel stack"
      style={{ borderLeft: '3px solid var(--failed)' }}
      aria-label={`Incident ${elementId}`}
    >
      <div className="row apart">
        <h3>
          Stands still at {elementLabel(incident)} <span className="mono small quiet">{elementId}</span>
        </h3>
        <span className="quiet">
          <Time at={at} />
        </span>
      </div>
      <div style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        <strong>{error.errorCode}</strong>: <LongText>{error.message}</LongText>
      </div>
      {remedy !== undefined && <p style={{ margin: 0 }}>{remedy}</p>}
      {error.response !== undefined && (
        <details>
          <summary>Answer of the service</summary>
          <Code text={writeExact(error.response)} label="Answer of the service" />
        </details>
      )}
      {mayRetry && text !== null && (
        <Textarea
          label="Variables there"
          description="Only what you change is sent. A variable that you take out stays as it is."
          autosize
          minRows={3}
          maxRows={18}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={text}
          error={complaint ?? complaintAt(retry.error, '/variables')}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <FormProblem error={retry.error} fields={['/variables']} />
      {mayRetry && (
        <div className="row">
          <Button size="xs" loading={retry.isPending} onClick={again}>
            Try again
          </Button>
          {retry.isSuccess && (
            <span className="quiet small" role="status">
              It is tried again.
            </span>
          )}
        </div>
      )}
    </section>
  );
}
