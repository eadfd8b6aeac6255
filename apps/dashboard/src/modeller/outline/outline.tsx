import { Button, Menu } from '@mantine/core';
import { useMemo, useState } from 'react';
import { findingsAt, useModelling } from '../context.tsx';
import { wholesOf } from '../kit/every-process.ts';
import { addProcess, canBeRemoved, removeProcess } from '../kit/processes.ts';
import { BOUNDARIES, KINDS, type Kind } from '../kit/runs.ts';
import { taskOf } from '../kit/services.ts';
import { is, type Drawn } from '../kit/types.ts';
import { nameOf } from '../kit/words.ts';
import {
  addEventSubProcess,
  addStart,
  append,
  attach,
  canBeFollowed,
  changesOf,
  connect,
  appendShape,
  targetsOf,
} from './build.ts';
import { useSaid } from './said.ts';
import { rowsOf } from './tree.ts';
import { Tree } from './tree-view.tsx';

/** The elements as a tree for keys and screen readers, and commands that draw without a mouse. */
export function Outline({ onOpen, readOnly = false }: { readonly onOpen: () => void; readonly readOnly?: boolean }) {
  const modelling = useModelling();
  const { kit, revision, selected, root, select } = modelling;
  const rows = useMemo(() => rowsOf(wholesOf(kit).map(({ businessObject }) => businessObject)), [kit, revision]);
  const { said, say } = useSaid(kit, rows, revision);
  const [asked, setAsked] = useState(0);
  /** Has the row of the selected element take the focus: menus and the canvas would keep or lose it. */
  const toRow = (): void => setAsked((last) => last + 1);
  const present = selected?.businessObject.id ?? root.businessObject.id ?? null;
  const remove = (): void => {
    const at = rows.findIndex(({ id }) => id === present);
    // The row above is not within the element that is removed.
    const next = rows[at - 1] ?? null;
    if (selected) kit.service('modeling').removeElements([selected]);
    const neighbour = next === null ? undefined : kit.service('elementRegistry').get(next.id);
    select(neighbour ?? null);
    toRow();
  };
  return (
    <section className="outline" aria-label="Outline">
      {!readOnly && <Commands root={root} onDelete={remove} onDone={toRow} say={say} />}
      <Tree
        rows={rows}
        noteOf={(id) => <Problems count={findingsAt(modelling, id).length} />}
        selectedId={present}
        onSelect={(id) => select(kit.service('elementRegistry').get(id) ?? null)}
        onOpen={onOpen}
        focusAsked={asked}
        onDelete={readOnly || selected === null ? undefined : remove}
      />
      <p className="sr-only" role="status" aria-label="Last change">
        {said}
      </p>
    </section>
  );
}

function Problems({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span className="outline-count">
      {count}
      <span className="sr-only">{count === 1 ? ' problem' : ' problems'}</span>
    </span>
  );
}

function Commands({
  root,
  onDelete,
  onDone,
  say,
}: {
  readonly root: Drawn;
  readonly onDelete: () => void;
  /** Called when the selected element has changed. */
  readonly onDone: () => void;
  readonly say: (words: string) => void;
}) {
  const { kit, selected, select, services } = useModelling();
  const element = selected ?? root;
  const isActivity = is(element.businessObject, 'bpmn:Activity') && element.businessObject['triggeredByEvent'] !== true;
  const isScope = element === root || is(element.businessObject, 'bpmn:SubProcess');
  const run = (make: () => Drawn): void => {
    select(make());
    onDone();
  };
  const remove = (): void => {
    removeProcess(kit, root);
    onDone();
  };
  const connectTo = (target: Drawn): void => {
    connect(kit, element, target);
    say(`Connected to ${nameOf(target.businessObject)}.`);
    onDone();
  };
  const targets = canBeFollowed(element) ? targetsOf(kit, element) : [];
  const changes = element === root ? [] : changesOf(kit, element);
  return (
    <div className="outline-commands">
      {isScope && (
        <Button size="compact-xs" variant="default" onClick={() => run(() => addStart(kit, element))}>
          Add a start event
        </Button>
      )}
      {element === root && (
        <Button size="compact-xs" variant="default" onClick={() => run(() => addEventSubProcess(kit, element))}>
          Add an event sub-process
        </Button>
      )}
      {element === root && is(root.businessObject, 'bpmn:Process') && (
        <Button size="compact-xs" variant="default" onClick={() => run(() => addProcess(kit))}>
          Add a process
        </Button>
      )}
      {element === root && canBeRemoved(kit, root) && (
        <Button size="compact-xs" variant="default" onClick={remove}>
          Delete this process
        </Button>
      )}
      {canBeFollowed(element) && (
        <Choice
          label="Append…"
          groups={[
            ['Subscribed services', services.map((service) => [service.name, () => run(() => appendTask(service))])],
            ['Elements', KINDS.map((kind) => [kind.name, () => run(() => append(kit, element, kind))])],
          ]}
        />
      )}
      {targets.length > 0 && (
        <Choice
          label="Connect to…"
          groups={[['Elements', targets.map((target) => [nameOf(target.businessObject), () => connectTo(target)])]]}
        />
      )}
      {isActivity && (
        <Choice
          label="Attach…"
          groups={[
            ['Events', boundariesAt(element).map((kind) => [kind.name, () => run(() => attach(kit, element, kind))])],
          ]}
        />
      )}
      {changes.length > 0 && (
        <Choice
          label="Change to…"
          groups={[['Elements', changes.map(([name, change]) => [name, () => changeTo(change)] as const)]]}
        />
      )}
      {element !== root && (
        <Button size="compact-xs" variant="default" onClick={onDelete}>
          Delete
        </Button>
      )}
    </div>
  );

  function changeTo(change: () => void): void {
    change();
    onDone();
  }

  function appendTask(service: (typeof services)[number]): Drawn {
    return appendShape(kit, element, taskOf(kit, service));
  }
}

type Entry = readonly [name: string, run: () => void];

/** Events that the platform takes on the border of an activity. */
function boundariesAt({ businessObject }: Drawn): readonly Kind[] {
  return BOUNDARIES.filter(({ id }) => id !== 'boundary-escalation' || is(businessObject, 'bpmn:SubProcess'));
}

function Choice({
  label,
  groups,
}: {
  readonly label: string;
  readonly groups: readonly (readonly [title: string, entries: readonly Entry[]])[];
}) {
  return (
    <Menu position="bottom-start" width={240} returnFocus={false}>
      <Menu.Target>
        <Button size="compact-xs" variant="default">
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className="outline-menu">
        {groups.map(
          ([title, entries]) =>
            entries.length > 0 && (
              <div key={title}>
                <Menu.Label>{title}</Menu.Label>
                {entries.map(([name, run], at) => (
                  <Menu.Item key={`${name}${at}`} onClick={run}>
                    {name}
                  </Menu.Item>
                ))}
              </div>
            ),
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
