import { Button, Menu } from '@mantine/core';
import { useMemo, useRef, type KeyboardEvent } from 'react';
import { findingsAt, useModelling } from '../context.tsx';
import { BOUNDARIES, KINDS, type Kind } from '../kit/runs.ts';
import { taskOf } from '../kit/services.ts';
import { is, type Drawn } from '../kit/types.ts';
import { nameOf } from '../kit/words.ts';
import { addEventSubProcess, addStart, append, attach, canBeFollowed, place, targetsOf } from './build.ts';
import { rowsOf, type Row } from './tree.ts';

/** The elements as a tree for keys and screen readers, and commands that draw without a mouse. */
export function Outline({ onOpen, readOnly = false }: { readonly onOpen: () => void; readonly readOnly?: boolean }) {
  const { kit, revision, selected, select } = useModelling();
  const root = kit.service('canvas').getRootElement();
  const rows = useMemo(() => rowsOf(definitionsRoot(root)), [root, revision]);
  return (
    <section className="outline" aria-label="Outline">
      {!readOnly && <Commands root={root} />}
      <Tree
        rows={rows}
        selectedId={selected?.businessObject.id ?? null}
        onSelect={(id) => select(kit.service('elementRegistry').get(id) ?? null)}
        onOpen={onOpen}
      />
    </section>
  );
}

/** The process or the collaboration, also while the canvas shows a collapsed sub-process. */
function definitionsRoot(root: Drawn): Drawn['businessObject'] {
  let moddle = root.businessObject;
  while (moddle.$parent !== undefined && moddle.$parent.$type !== 'bpmn:Definitions') moddle = moddle.$parent;
  return moddle;
}

export function Tree({
  rows,
  selectedId,
  onSelect,
  onOpen,
}: {
  readonly rows: readonly Row[];
  readonly selectedId: string | null;
  readonly onSelect: (id: string) => void;
  readonly onOpen: () => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const at = rows.findIndex(({ id }) => id === selectedId);
  const go = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    onSelect(row.id);
    list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"]`)?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
    };
    const next = moves[event.key];
    if (next !== undefined) go(next);
    else if (event.key === 'Enter' && at >= 0) onOpen();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (rows.length === 0) return <p className="quiet small note">Nothing is drawn yet.</p>;
  return (
    <ul ref={list} role="tree" aria-label="Elements" className="outline-tree" onKeyDown={press}>
      {rows.map((row, index) => (
        <OneRow
          key={row.id}
          row={row}
          isSelected={row.id === selectedId}
          isReachable={at === -1 ? index === 0 : index === at}
          onSelect={() => go(index)}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );
}

function OneRow({
  row: { id, name, type, level },
  isSelected,
  isReachable,
  onSelect,
  onOpen,
}: {
  readonly row: Row;
  readonly isSelected: boolean;
  readonly isReachable: boolean;
  readonly onSelect: () => void;
  readonly onOpen: () => void;
}) {
  const modelling = useModelling();
  const findings = findingsAt(modelling, id);
  return (
    <li
      role="treeitem"
      aria-level={level}
      aria-selected={isSelected}
      tabIndex={isReachable ? 0 : -1}
      data-row={id}
      className="outline-row"
      data-level={Math.min(level, 6)}
      onClick={onSelect}
      onDoubleClick={onOpen}
      onFocus={() => {
        if (!isSelected) onSelect();
      }}
    >
      <span>{name}</span> {name !== type && <span className="quiet small">{type}</span>}
      {findings.length > 0 && (
        <span className="outline-count">
          {findings.length}
          <span className="sr-only"> problems</span>
        </span>
      )}
    </li>
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
