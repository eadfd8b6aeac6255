import type { WorkflowInstanceDetails } from '@kethub/contract';
import { Button, Tabs } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import { useMay } from '../../data/context.tsx';
import { instanceQuery, isUnderWay, standsStill } from '../../data/workflow-queries.ts';
import { Icon } from '../../look/icons.tsx';
import { CopyButton, Ket, shortId, State, Time } from '../../look/parts.tsx';
import { LONGEST_NAME, shortened } from '../../modeller/kit/words.ts';
import { NOTHING_DRAWN, type DrawnElements } from '../../modeller/instance/names.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { LogView } from '../executions/log-view.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { Incident, elementLabel } from './incidents.tsx';
import { TABS, useInstanceView, type InstanceView, type Tab } from './instance-view.ts';
import { Journal } from './journal.tsx';
import { TaskExecutions } from './task-executions.tsx';
import { useJournal } from './use-journal.ts';
import { Variables } from './variables.tsx';
import { Whereabouts } from './whereabouts.tsx';
import { isFocusLost } from '../../look/return-focus.ts';

/** The diagram comes with a large library, which the other pages do without. */
const InstanceOnDiagram = lazy(() => import('./instance-on-diagram.tsx'));

/** One instance: where it is, what keeps it from going on, its variables, and what it has done, now and before. */
export function InstancePage() {
  const { acting } = useServiceAddress();
  const { instanceId = '' } = useParams({ strict: false }) as { instanceId?: string };
  const instance = useQuery(instanceQuery(acting, instanceId));
  useTitle(`Instance ${shortId(instanceId)}`);
  const { data, error } = instance;
  if (error && !data) return <Problem error={error} onRetry={() => void instance.refetch()} />;
  if (!data) return <div className="panel quiet">Loading…</div>;
  return (
    <div className="stack">
      {error && <Problem error={error} onRetry={() => void instance.refetch()} />}
      <Instance key={instanceId} instance={data.value} tag={data.etag} />
    </div>
  );
}

function Instance({ instance, tag }: { readonly instance: WorkflowInstanceDetails; readonly tag: string | null }) {
  const view = useInstanceView();
  const journal = useJournal(instance.id, tag);
  const [drawn, setDrawn] = useState<DrawnElements>(NOTHING_DRAWN);
  const { names } = drawn;
  const details = useRef<HTMLElement>(null);
  const incidentsBefore = useRef(0);
  const openDetails = (): void =>
    details.current?.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus();
  const showIncidents = (): void => {
    view.show({ tab: 'incidents' });
    details.current?.querySelector<HTMLElement>('[role=tab]')?.focus();
  };
  const incidents = instance.openIncidents.length;
  // The form of an incident goes with it, and took the focus along.
  useEffect(() => {
    if (incidentsBefore.current > incidents && isFocusLost()) openDetails();
    incidentsBefore.current = incidents;
  }, [incidents]);
  const nameOf = (elementId: string): string => names.get(elementId) ?? elementId;
  const steps = journal.data ?? [];
  return (
    <>
      <Head instance={instance} />
      <StandsStill instance={instance} nameOf={nameOf} onShow={showIncidents} />
      <Suspense fallback={<div className="panel quiet">Loading…</div>}>
        <InstanceOnDiagram
          instance={instance}
          steps={steps}
          view={view}
          drawn={drawn}
          onDrawn={setDrawn}
          onOpen={openDetails}
        />
      </Suspense>
      {journal.error && <Problem error={journal.error} onRetry={() => void journal.refetch()} />}
      <Details ref={details} instance={instance} view={view} nameOf={nameOf}>
        {journal.isPending ? (
          <p className="quiet">Loading…</p>
        ) : (
          <Journal
            entries={steps}
            element={view.element}
            step={view.step}
            nameOf={nameOf}
            onStep={(step) => view.show({ step: step >= (steps.at(-1)?.seq ?? 0) ? null : step })}
          />
        )}
      </Details>
    </>
  );
}

function Head({ instance }: { readonly instance: WorkflowInstanceDetails }) {
  const { acting, at } = useServiceAddress();
  const { id, phase, createdAt, executionId, version, parentId, processId } = instance;
  return (
    <div className="row apart">
      <div className="row">
        <Link to={`${at}/instances`}>Instances</Link>
        {parentId !== null && (
          <>
            <span aria-hidden="true">/</span>
            <Link to={`${at}/instances/${parentId}`}>The instance that has called it</Link>
          </>
        )}
        <h2>
          <span className="sr-only">Instance </span>
          <Ket>{shortId(id)}</Ket>
        </h2>
        <span role="status">
          <State of={standsStill(instance) ? 'INCIDENT' : phase} />
        </span>
        <span className="quiet">
          version {version ?? '–'}
          {parentId !== null && `, process ${processId ?? '–'}`}, started <Time at={createdAt} />
        </span>
        <CopyButton value={id} label="Copy the id of the instance" />
      </div>
      <div className="row">
        <Link to={`${acting.base}/executions/${executionId}`}>Its execution, with the result</Link>
        {isUnderWay(instance) && <Cancel executionId={executionId} />}
      </div>
    </div>
  );
}

function Cancel({ executionId }: { readonly executionId: string }) {
  const { acting } = useServiceAddress();
  const queries = useQueryClient();
  const mayCancel = useMay('execution:cancel');
  const [isAsked, setAsked] = useState(false);
  const cancel = useMutation({
    mutationFn: () => acting.platform.cancelOwnedExecution({ executionId }),
    onSuccess: async () => {
      setAsked(false);
      await queries.invalidateQueries({ queryKey: [acting.base, 'instance'] });
    },
  });
  if (!mayCancel) return null;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="stop" size={13} />}
        onClick={() => {
          cancel.reset();
          setAsked(true);
        }}
      >
        Cancel
      </Button>
      {isAsked && (
        <Confirm
          title="Cancel the execution"
          action="Cancel it"
          request={{ error: cancel.error, isPending: cancel.isPending, mutate: () => cancel.mutate() }}
          onClose={() => setAsked(false)}
        >
          The whole execution ends, with all that it has called. What services have done is not undone.
        </Confirm>
      )}
    </>
  );
}

/** One line about what keeps the instance from going on, here and in what it calls. */
function StandsStill({
  instance,
  nameOf,
  onShow,
}: {
  readonly instance: WorkflowInstanceDetails;
  readonly nameOf: (elementId: string) => string;
  readonly onShow: () => void;
}) {
  const { at } = useServiceAddress();
  const [first, ...others] = instance.openIncidents;
  const calls = instance.activities.filter(({ childIncidents = 0 }) => childIncidents > 0);
  const [call] = calls;
  if (!first && !call) return null;
  return (
    <div className="stands-still" role="alert">
      {first && (
        <>
          <span className="stands-still-text" title={shortened(first.error.message, LONGEST_NAME)}>
            <strong>Stands still at {elementLabel(first)}:</strong> {first.error.errorCode},{' '}
            {shortened(first.error.message, LONGEST_NAME)}
          </span>
          {others.length > 0 && <span className="quiet">and {others.length} more</span>}
          <Button size="compact-xs" variant="default" onClick={onShow}>
            Mend it
          </Button>
        </>
      )}
      {call && (
        <>
          <span>
            <strong>{nameOf(call.elementId)}</strong> waits:{' '}
            {instance.childIncidents === 1 ? 'an incident' : 'incidents'} in what it calls
          </span>
          {call.childInstanceId !== undefined && <Link to={`${at}/instances/${call.childInstanceId}`}>Go there</Link>}
          {calls.length > 1 && <span className="quiet">and {calls.length - 1} more</span>}
        </>
      )}
    </div>
  );
}

const TITLES: Readonly<Record<Tab, string>> = {
  incidents: 'Incidents',
  variables: 'Variables',
  active: 'Where it is',
  executions: 'Executions',
  journal: 'Journal',
  log: 'Log',
};

/** The tabs below the diagram. Only the one in view is read. */
function Details({
  ref,
  instance,
  view,
  nameOf,
  children,
}: {
  readonly instance: WorkflowInstanceDetails;
  readonly view: InstanceView;
  readonly nameOf: (elementId: string) => string;
  readonly ref: Ref<HTMLElement>;
  /** The journal. */
  readonly children: ReactNode;
}) {
  const { acting } = useServiceAddress();
  const { id, executionId, openIncidents, warnings, activities } = instance;
  const { element, step } = view;
  const tab = view.tab ?? (openIncidents.length > 0 ? 'incidents' : 'variables');
  const counts: Partial<Record<Tab, number>> = { incidents: openIncidents.length, active: activities.length };
  return (
    <section className="panel" aria-label="Details" ref={ref}>
      <Tabs value={tab} onChange={(next) => view.show({ tab: next as Tab })} keepMounted={false}>
        <Tabs.List style={{ marginBottom: 12 }}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {TITLES[one]}
              {(counts[one] ?? 0) > 0 && ` ${counts[one]}`}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="incidents">
          <div className="stack">
            {openIncidents.length === 0 && (
              <p className="quiet" style={{ margin: 0 }}>
                Nothing keeps it from going on.
              </p>
            )}
            {openIncidents.map((incident) => (
              <Incident key={incident.incident} incident={incident} />
            ))}
            {warnings.length > 0 && (
              <section className="stack" aria-labelledby="warnings">
                <h3 id="warnings">Probably not meant</h3>
                <ul style={{ margin: 0 }}>
                  {warnings.map(({ elementId, expression, message }) => (
                    <li key={`${elementId} ${expression} ${message}`}>
                      <strong>{nameOf(elementId)}</strong>: {message} <code>{expression}</code>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="variables">
          <Variables instanceId={id} step={step} element={element} nameOf={nameOf} />
        </Tabs.Panel>
        <Tabs.Panel value="active">
          <Whereabouts instance={instance} element={element} nameOf={nameOf} />
        </Tabs.Panel>
        <Tabs.Panel value="executions">
          <TaskExecutions instance={instance} element={element} nameOf={nameOf} />
        </Tabs.Panel>
        <Tabs.Panel value="journal">{children}</Tabs.Panel>
        <Tabs.Panel value="log">
          <LogView
            id={executionId}
            name={executionId}
            follow={(options) => acting.platform.executions.followLog(executionId, options)}
          />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}
