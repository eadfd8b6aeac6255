import { useEffect, useMemo, useRef, useState } from 'react';
import { wholesOf } from '../kit/every-process.ts';
import { text, type Kit } from '../kit/types.ts';
import { fit, openViewer, selectIn } from '../kit/view.ts';
import { LONGEST_NAME, shortened, titleOf } from '../kit/words.ts';
import { showMarks } from './marks.ts';
import { rowsOf, wholeOf } from '../outline/tree.ts';
import type { DrawnElements, Names } from './names.ts';
import { progressAt, type Step } from './progress.ts';
import { showProcess } from './process.ts';

/** A diagram that shows where an instance is after a step of its journal. */
export function InstanceDiagram({
  xml,
  journal,
  until,
  childIncidents,
  processId = null,
  selected = null,
  onSelect,
  onDrawn,
  className,
  label = 'Diagram of the instance; the journal says the same in words',
}: {
  readonly xml: string;
  readonly journal: readonly Step[];
  /** Number of the last step that counts; Infinity: now. */
  readonly until: number;
  /** Number of open incidents of called instances, by call activity. */
  readonly childIncidents?: ReadonlyMap<string, number>;
  /** The process of the file that is shown; null: the one that the file shows first. */
  readonly processId?: string | null;
  readonly selected?: string | null;
  readonly onSelect?: (elementId: string | null) => void;
  readonly onDrawn?: (drawn: DrawnElements) => void;
  readonly className: string;
  readonly label?: string;
}) {
  const container = useRef<HTMLDivElement>(null);
  const [kit, setKit] = useState<Kit | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const listeners = useRef({ onSelect, onDrawn });
  listeners.current = { onSelect, onDrawn };
  useEffect(() => {
    if (!container.current) return undefined;
    const opened = openViewer(container.current);
    let isOpen = true;
    const show = async (): Promise<void> => {
      await opened.modeler.importXML(xml);
      if (isOpen && processId !== null) showProcess(opened, processId);
    };
    show().then(
      () => {
        if (!isOpen) return;
        fit(opened, 0);
        opened.service('eventBus').on('selection.changed', ({ newSelection }) => {
          const [first] = newSelection as readonly { readonly businessObject: { readonly id?: string } }[];
          listeners.current.onSelect?.(first?.businessObject.id ?? null);
        });
        const root = opened.service('canvas').getRootElement().businessObject;
        const whole = processId === null ? wholesOf(opened).map((one) => one.businessObject) : [wholeOf(root)];
        const rows = rowsOf(whole);
        listeners.current.onDrawn?.({ names: namesIn(opened), rows });
        setKit(opened);
      },
      (error: unknown) => isOpen && setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isOpen = false;
      setKit(null);
      opened.modeler.destroy();
    };
  }, [xml, processId]);
  const progress = useMemo(() => progressAt(journal, until), [journal, until]);
  useEffect(() => (kit ? showMarks(kit, progress, childIncidents) : undefined), [kit, progress, childIncidents]);
  useEffect(() => {
    if (!kit) return;
    const [present] = kit.service('selection').get();
    if ((present?.businessObject.id ?? null) === selected) return;
    const drawn = selected === null ? undefined : kit.service('elementRegistry').get(selected);
    selectIn(kit, drawn ?? null);
  }, [kit, selected]);
  return (
    <>
      {failure !== null && <p className="quiet panel-text">This file has no diagram that can be drawn: {failure}</p>}
      <div ref={container} className={className} hidden={failure !== null} role="group" aria-label={label} />
    </>
  );
}

function namesIn(kit: Kit): Names {
  const all = kit.service('elementRegistry').getAll();
  return new Map(
    all.flatMap(({ businessObject }) => {
      const isFlow = businessObject.$type === 'bpmn:SequenceFlow';
      const name = isFlow ? titleOf(businessObject) : shortened(text(businessObject, 'name').trim(), LONGEST_NAME);
      return businessObject.id === undefined || name === '' ? [] : [[businessObject.id, name] as const];
    }),
  );
}
