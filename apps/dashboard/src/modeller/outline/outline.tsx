import { Button, Menu } from '@mantine/core';
import { useMemo } from 'react';
import { findingsAt, useModelling } from '../context.tsx';
import { BOUNDARIES, KINDS, type Kind } from '../kit/runs.ts';
import { taskOf } from '../kit/services.ts';
import { is, type Drawn } from '../kit/types.ts';
import { nameOf } from '../kit/words.ts';
import { addEventSubProcess, addStart, append, attach, canBeFollowed, place, targetsOf } from './build.ts';
import { rowsOf, wholeOf } from './tree.ts';
import { Tree } from './tree-view.tsx';

/** The elements as a tree for keys and screen readers, and commands that draw without a mouse. */
export function Outline({ onOpen, readOnly = false }: { readonly onOpen: () => void; readonly readOnly?: boolean }) {
  const modelling = useModelling();
  const { kit, revision, selected, select } = modelling;
  const root = kit.service('canvas').getRootElement();
  const rows = useMemo(() => rowsOf(wholeOf(root.businessObject)), [root, revision]);
  return (
    <section className="outline" aria-label="Outline">
      {!readOnly && <Commands root={root} />}
      <Tree
        rows={rows}
        noteOf={(id) => <Problems count={findingsAt(modelling, id).length} />}
        selectedId={selected?.businessObject.id ?? null}
        onSelect={(id) => select(kit.service('elementRegistry').get(id) ?? null)}
        onOpen={onOpen}
      />
    </section>
  );
}

function Problems({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span className="outline-count">
      {count}
      <span className="sr-only"> problems</span>
    </span>
  );
}

function Commands({ root }: { readonly root: Drawn }) {
  const { kit, selected, select, services } = useModelling();
  const element = selected ?? root;
  const isActivity = is(element.businessObject, 'bpmn:Activity');
  const isScope = element === root || is(element.businessObject, 'bpmn:SubProcess');
  const run = (make: () => Drawn): void => select(make());
  const targets = canBeFollowed(element) ? targetsOf(kit, element) : [];
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
          groups={[
            [
              'Elements',
              targets.map((target) => [
                nameOf(target.businessObject),
                () => void kit.service('modeling').connect(element, target),
              ]),
            ],
          ]}
        />
      )}
      {isActivity && (
        <Choice
          label="Attach…"
          groups={[
            ['Events', BOUNDARIES.map((kind: Kind) => [kind.name, () => run(() => attach(kit, element, kind))])],
          ]}
        />
      )}
      {element !== root && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => {
            kit.service('modeling').removeElements([element]);
            select(null);
          }}
        >
          Delete
        </Button>
      )}
    </div>
  );

  function appendTask(service: (typeof services)[number]): Drawn {
    return place(kit, element, taskOf(kit, service));
  }
}

type Entry = readonly [name: string, run: () => void];

function Choice({
  label,
  groups,
}: {
  readonly label: string;
  readonly groups: readonly (readonly [title: string, entries: readonly Entry[]])[];
}) {
  return (
    <Menu position="bottom-start" width={240}>
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
