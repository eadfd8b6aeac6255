import type { WorkflowInstanceDetails } from '@kethub/contract';
import { Link } from '@tanstack/react-router';
import { standsStill } from '../../data/workflow-queries.ts';
import { shortId, State, TableHead, Time } from '../../look/parts.tsx';
import { useServiceAddress } from '../service/use-service.ts';

type NameOf = (elementId: string) => string;

/** Elements that are active or wait, of one element or of all, and the instances that call activities have started. */
export function Whereabouts({
  instance: { activities, children },
  element,
  nameOf,
}: {
  readonly instance: WorkflowInstanceDetails;
  readonly element: string | null;
  readonly nameOf: NameOf;
}) {
  const open = activities.filter(({ elementId }) => element === null || elementId === element);
  return (
    <div className="stack">
      {open.length === 0 ? (
        <p className="quiet" style={{ margin: 0 }}>
          {element === null ? 'Nothing is active.' : `${nameOf(element)} is not active.`}
        </p>
      ) : (
        <Activities activities={open} nameOf={nameOf} />
      )}
      {children.length > 0 && <Called>{children}</Called>}
    </div>
  );
}

/** Rows of the table; the rest can be looked at by choosing an element. */
const MOST_ROWS = 200;

function Activities({
  activities,
  nameOf,
}: {
  readonly activities: WorkflowInstanceDetails['activities'];
  readonly nameOf: NameOf;
}) {
  const { acting, at } = useServiceAddress();
  return (
    <>
      <table className="list">
        <TableHead columns={['Element', 'Phase', 'Waits for']} />
        <tbody>
          {activities
            .slice(0, MOST_ROWS)
            .map(({ element, elementId, phase, loopCounter, job, childInstanceId, childIncidents, ...awaited }) => (
              <tr key={element}>
                <td title={elementId}>
                  <strong>{nameOf(elementId)}</strong>
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
                  {childInstanceId !== undefined && (
                    <Link to={`${at}/instances/${childInstanceId}`}>what it calls</Link>
                  )}
                  {childIncidents !== undefined && (
                    <>
                      {' '}
                      <State of="INCIDENT" />
                    </>
                  )}
                  {awaited.due !== undefined && <Time at={awaited.due} />}
                  {awaited.message && (
                    <>
                      message <strong>{awaited.message.name}</strong>, key <code>{awaited.message.correlationKey}</code>
                    </>
                  )}
                  {awaited.signal && (
                    <>
                      signal <strong>{awaited.signal.name}</strong>
                    </>
                  )}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      {activities.length > MOST_ROWS && (
        <p className="quiet">{activities.length - MOST_ROWS} more. Choose an element to see its own.</p>
      )}
    </>
  );
}

/** Instances that its call activities have started. */
function Called({ children }: { readonly children: WorkflowInstanceDetails['children'] }) {
  const { at } = useServiceAddress();
  return (
    <section aria-labelledby="called">
      <h3 id="called">What it has called</h3>
      <table className="list">
        <TableHead columns={['Instance', 'Process', 'State', 'Started']} />
        <tbody>
          {children.map(({ id, processId, phase, incidents, childIncidents, createdAt }) => (
            <tr key={id}>
              <td>
                <Link to={`${at}/instances/${id}`} className="name mono">
                  {shortId(id)}
                </Link>
              </td>
              <td className="quiet">{processId ?? '–'}</td>
              <td>
                <State of={standsStill({ incidents, childIncidents }) ? 'INCIDENT' : phase} />
              </td>
              <td className="quiet">
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
