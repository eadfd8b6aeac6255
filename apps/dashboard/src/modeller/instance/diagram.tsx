import { useEffect, useMemo, useRef, useState } from 'react';
import type { Kit } from '../kit/types.ts';
import { fit, openViewer } from '../kit/view.ts';
import { showMarks } from './marks.ts';
import { placesAt, type Step } from './places.ts';

/** A diagram that shows where an instance is after a step of its journal. */
export function InstanceDiagram({
  xml,
  journal,
  until,
  processId = null,
  onSelect,
  className,
}: {
  readonly xml: string;
  readonly journal: readonly Step[];
  /** Number of the last step that counts; Infinity: now. */
  readonly until: number;
  /** The process of the file that is shown; null: the one that the file shows first. */
  readonly processId?: string | null;
  readonly onSelect?: (elementId: string | null) => void;
  readonly className: string;
}) {
  const container = useRef<HTMLDivElement>(null);
  const [kit, setKit] = useState<Kit | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const select = useRef(onSelect);
  select.current = onSelect;
  useEffect(() => {
    if (!container.current) return undefined;
    const opened = openViewer(container.current);
    let isOpen = true;
    opened.modeler.importXML(xml).then(
      () => {
        if (!isOpen) return;
        const canvas = opened.service('canvas');
        const root = canvas.getRootElements().find(({ businessObject: { id } }) => id === processId);
        if (root) canvas.setRootElement(root);
        fit(opened, 0);
        opened.service('eventBus').on('selection.changed', ({ newSelection }) => {
          const [first] = newSelection as readonly { readonly businessObject: { readonly id?: string } }[];
          select.current?.(first?.businessObject.id ?? null);
        });
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
  const places = useMemo(() => placesAt(journal, until), [journal, until]);
  useEffect(() => (kit ? showMarks(kit, places) : undefined), [kit, places]);
  return (
    <>
      {failure !== null && <p className="panel quiet">This file has no diagram that can be drawn: {failure}</p>}
      <div
        ref={container}
        className={className}
        hidden={failure !== null}
        role="group"
        aria-label="Diagram of the instance; the journal says the same in words"
      />
    </>
  );
}
