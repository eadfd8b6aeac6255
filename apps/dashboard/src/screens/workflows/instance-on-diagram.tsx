import type { WorkflowInstanceDetails } from '@kethub/contract';
import { Button, Select, Slider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { sourceQuery, type JournalEntry } from '../../data/workflow-queries.ts';
import { InstanceDiagram } from '../../modeller/instance/diagram.tsx';
import type { DrawnElements, Names } from '../../modeller/instance/names.ts';
import { progressAt, childIncidentsOf, type ElementProgress } from '../../modeller/instance/progress.ts';
import { Tree } from '../../modeller/outline/tree-view.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import type { InstanceView } from './instance-view.ts';
import { entryInWords } from './journal-in-words.ts';

/** An instance on the diagram of its version, now or after an earlier step, and the choice of step and element. */
export default function InstanceOnDiagram({
  instance,
  steps,
  view: { step: chosen, element, show },
  drawn: { names, rows },
  onDrawn,
  onOpen,
}: {
  readonly instance: WorkflowInstanceDetails;
  readonly steps: readonly JournalEntry[];
  readonly view: InstanceView;
  readonly drawn: DrawnElements;
  readonly onDrawn: (drawn: DrawnElements) => void;
  /** Called when an element is opened with Enter. */
  readonly onOpen: () => void;
}) {
  const { acting, serviceId } = useServiceAddress();
  const { version = '', processId, activities } = instance;
  const file = useQuery({ ...sourceQuery(acting, serviceId, version), enabled: version !== '' });
  const [isBig, setBig] = useState(false);
  const last = steps.at(-1)?.seq ?? 0;
  const until = Math.min(chosen ?? last, last);
  const isNow = chosen === null || chosen >= last;
  const progress = useMemo(() => progressAt(steps, until), [steps, until]);
  // The journal of an instance says nothing of those that it calls.
  const childIncidents = useMemo(
    () => (isNow ? childIncidentsOf(activities) : new Map<string, number>()),
    [isNow, activities],
  );
  const entry = steps[until - (steps[0]?.seq ?? 1)];
  const { what, where } = entry ? entryInWords(entry) : { what: '', where: '' };
  const to = (step: number): void => show({ step: step >= last ? null : Math.max(step, 1) });
  const choices = useMemo(() => choicesOf(names, progress.elements.keys()), [names, progress]);
  return (
    <section className="panel flush" aria-label="Diagram of the instance">
      {file.isPending && version !== '' && <p className="quiet panel-text">Loading…</p>}
      {file.error && <p className="quiet panel-text">The file of this version is not there any more.</p>}
      {file.data !== undefined && (
        <div className="instance-parts">
          <aside className="instance-outline" aria-label="Outline">
            <Tree
              rows={rows}
              noteOf={(id) => (
                <ElementNote progress={progress.elements.get(id)} childIncidents={childIncidents.get(id) ?? 0} />
              )}
              selectedId={element}
              onSelect={(id) => show({ element: id })}
              onOpen={onOpen}
            />
          </aside>
          <div>
            <InstanceDiagram
              xml={file.data}
              journal={steps}
              until={until}
              childIncidents={childIncidents}
              processId={processId}
              selected={element}
              onSelect={(id) => show({ element: id })}
              onDrawn={onDrawn}
              className={isBig ? 'instance-canvas big' : 'instance-canvas'}
            />
          </div>
        </div>
      )}
      <div className="history">
        <span className="row" style={{ flexWrap: 'nowrap' }}>
          <Button
            size="compact-xs"
            variant="default"
            aria-label="One step back"
            disabled={until <= 1}
            onClick={() => to(until - 1)}
          >
            ‹
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            aria-label="One step on"
            disabled={isNow}
            onClick={() => to(until + 1)}
          >
            ›
          </Button>
        </span>
        <Slider
          thumbLabel="Step of the journal"
          thumbProps={{ 'aria-valuetext': isNow ? 'now' : `step ${until}: ${names.get(where) ?? where} ${what}` }}
          min={1}
          max={Math.max(last, 2)}
          value={Math.max(until, 1)}
          label={null}
          size="sm"
          disabled={last < 2}
          onChange={to}
        />
        <span className="small history-step" role="status">
          {isNow ? 'Now' : `Step ${until} of ${last}: ${names.get(where) ?? where} ${what}`}
        </span>
        {!isNow && (
          <Button size="compact-xs" variant="default" onClick={() => show({ step: null })}>
            Now
          </Button>
        )}
        <Select
          size="xs"
          aria-label="Element"
          placeholder="Every element"
          data={choices}
          value={element !== null && choices.some(({ value }) => value === element) ? element : null}
          onChange={(id) => show({ element: id })}
          clearable
          searchable
          limit={100}
          w={200}
        />
        <Button size="compact-xs" variant="default" aria-pressed={isBig} onClick={() => setBig(!isBig)}>
          {isBig ? 'Smaller' : 'Larger'}
        </Button>
      </div>
    </section>
  );
}

/** The state of an element, at its row of the outline. */
function ElementNote({
  progress,
  childIncidents,
}: {
  readonly progress: ElementProgress | undefined;
  readonly childIncidents: number;
}) {
  const { active, done, incidents } = progress ?? { active: 0, done: 0, incidents: 0 };
  if (incidents + childIncidents > 0) return <span className="outline-state incident">stands still</span>;
  if (active > 0) return <span className="outline-state">{active > 1 ? `active ${active} times` : 'active'}</span>;
  return done > 0 ? <span className="outline-state quiet">{done > 1 ? `done ${done} times` : 'done'}</span> : null;
}

/** The elements that the instance has reached, by their names, for those who do not use the diagram. */
function choicesOf(names: Names, reached: Iterable<string>): { readonly value: string; readonly label: string }[] {
  const count = new Map<string, number>();
  const ids = [...reached];
  for (const id of ids) count.set(names.get(id) ?? id, (count.get(names.get(id) ?? id) ?? 0) + 1);
  return ids.map((id) => {
    const name = names.get(id) ?? id;
    return { value: id, label: (count.get(name) ?? 0) > 1 ? `${name} (${id})` : name };
  });
}
