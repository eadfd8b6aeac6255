import type { WorkflowInstanceDetails } from '@kethub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { instanceQuery } from '../../data/workflow-queries.ts';
import { CopyButton, shortId, State, Time } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { Tree } from '../../viewers/tree.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { Incident } from './incidents.tsx';
import { Journal } from './journal.tsx';

/** The diagram comes with a large library, which the other pages do without. */
const InstanceOnDiagram = lazy(() => import('./instance-on-diagram.tsx'));

/** One instance: where it is, what keeps it from going on, its variables, and what it has done. */
export function InstancePage() {
  const { acting, at } = useServiceAddress();
  const { instanceId = '' } = useParams({ strict: false }) as { instanceId?: string };
  const instance = useQuery(instanceQuery(acting, instanceId));
  useTitle(`Instance ${shortId(instanceId)}`);
  if (instance.error) return <Problem error={instance.error} onRetry={() => void instance.refetch()} />;
  if (!instance.data) return <div className="panel quiet">Loading…</div>;
  const { phase, openIncidents, createdAt, executionId, version, parentId, warnings, variables } = instance.data;
  return (
    <div className="stack">
      <div className="row">
        <Link to={`${at}/instances`}>Instances</Link>
        <h2>
          Instance <span className="mono">{shortId(instanceId)}</span>
        </h2>
        <State of={openIncidents.length > 0 ? 'INCIDENT' : phase} />
        <span className="quiet">
          version {version ?? '–'}, started <Time at={createdAt} />
        </span>
        <CopyButton value={instanceId} label="Copy the id of the instance" />
      </div>
      <div className="row">
        <Link to={`${acting.base}/executions/${executionId}`}>Its execution, with result and log</Link>
        {parentId !== null && <Link to={`${at}/instances/${parentId}`}>The instance that has called it</Link>}
      </div>
      <Suspense fallback={<div className="panel quiet">Loading…</div>}>
        <InstanceOnDiagram instance={instance.data} />
      </Suspense>
      {openIncidents.map((incident) => (
        <Incident key={incident.incident} incident={incident} />
      ))}
      {warnings.length > 0 && (
        <section className="panel stack" aria-labelledby="warnings">
          <h2 id="warnings">Probably not meant</h2>
          <ul style={{ margin: 0 }}>
            {warnings.map(({ elementId, expression, message }) => (
              <li key={`${elementId} ${expression} ${message}`}>
                <strong>{elementId}</strong>: {message} <code>{expression}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Activities instance={instance.data} />
      <Called instance={instance.data} />
      <section className="panel stack" aria-labelledby="variables">
        <h2 id="variables">Variables</h2>
        {Object.keys(variables).length === 0 ? (
          <p className="quiet" style={{ margin: 0 }}>
            {phase === 'RUNNING' || phase === 'NEW' ? 'None yet.' : 'None.'}
          </p>
        ) : (
          <Tree value={variables} />
        )}
      </section>
      <Journal instanceId={instanceId} isRunning={phase === 'RUNNING' || phase === 'NEW'} />
    </div>
  );
}

/** Elements that are active or wait. */
function Activities({ instance: { activities } }: { readonly instance: WorkflowInstanceDetails }) {
  const { acting, at } = useServiceAddress();
  if (activities.length === 0) return null;
  return (
    <section className="panel flush" aria-labelledby="activities">
      <div className="panel-head">
        <h2 id="activities">Where it is</h2>
      </div>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Element</th>
            <th scope="col">Phase</th>
            <th scope="col">Waits for</th>
          </tr>
        </thead>
        <tbody>
          {activities.map(({ element, elementId, phase, loopCounter, job, childInstanceId, due, message, signal }) => (
            <tr key={element}>
              <td>
                <strong>{elementId}</strong>
                {loopCounter !== undefined && <span className="quiet"> number {loopCounter}</span>}
              </td>
              <td className="quiet">{phase.toLowerCase()}</td>
              <td>
                {job && (
                  <>
                    <Link to={`${acting.base}/executions/${job.executionId}`}>its execution</Link>{' '}
                    <span className="quiet">({job.state.toLowerCase()})</span>
                  </>
                )}
                {childInstanceId !== undefined && <Link to={`${at}/instances/${childInstanceId}`}>what it calls</Link>}
                {due !== undefined && <Time at={due} />}
                {message && (
                  <>
                    message <strong>{message.name}</strong>, key <code>{message.correlationKey}</code>
                  </>
                )}
                {signal && (
                  <>
                    signal <strong>{signal.name}</strong>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Instances that its call activities have started. */
function Called({ instance: { children } }: { readonly instance: WorkflowInstanceDetails }) {
  const { at } = useServiceAddress();
  if (children.length === 0) return null;
  return (
    <section className="panel flush" aria-labelledby="called">
      <div className="panel-head">
        <h2 id="called">What it has called</h2>
      </div>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Instance</th>
            <th scope="col">Process</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {children.map(({ id, processId, phase, incidents }) => (
            <tr key={id}>
              <td>
                <Link to={`${at}/instances/${id}`} className="name mono">
                  {shortId(id)}
                </Link>
              </td>
              <td className="quiet">{processId ?? '–'}</td>
              <td>
                <State of={incidents > 0 ? 'INCIDENT' : phase} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
