import { useEffect, useRef, useState, type RefObject } from 'react';
import { openModeler } from './kit/open.ts';
import type { Drawn, Kit } from './kit/types.ts';
import { fit } from './kit/view.ts';

/** Pixels between the palette and the diagram. */
const BESIDE_PALETTE = 20;

export interface Opened {
  readonly kit: Kit;
  readonly revision: number;
  readonly selected: Drawn | null;
  /** The process, collaboration or inside of a sub-process that is in view. */
  readonly root: Drawn;
  /** Reason why the file cannot be drawn; null where it can. */
  readonly failure: string | null;
}

/** A modeler in an element of the page, with the file that it shows. It is opened once for each file. */
export function useKit(xml: string): {
  readonly container: RefObject<HTMLDivElement | null>;
  readonly opened: Opened | null;
} {
  const container = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  useEffect(() => {
    if (!container.current) return undefined;
    const kit = openModeler(container.current);
    let isOpen = true;
    const changed = (): void => {
      if (isOpen) setOpened((last) => last && { ...last, revision: last.revision + 1 });
    };
    const show = (failure: string | null): void => {
      const root = kit.service('canvas').getRootElement();
      if (isOpen) setOpened({ kit, revision: 1, selected: null, root, failure });
    };
    void kit.modeler.importXML(xml).then(
      () => {
        if (isOpen) fit(kit, widthOfPalette(container.current) + BESIDE_PALETTE);
        kit.service('eventBus').on('commandStack.changed', changed);
        kit.service('eventBus').on('selection.changed', ({ newSelection }) => {
          const [first = null, second] = newSelection as readonly Drawn[];
          const selected = second === undefined ? (first?.labelTarget ?? first) : null;
          if (isOpen) setOpened((last) => last && { ...last, selected });
        });
        kit.service('eventBus').on('root.set', ({ element }) => {
          if (isOpen) setOpened((last) => last && { ...last, root: element as Drawn });
        });
        show(null);
      },
      (error: unknown) => show(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isOpen = false;
      kit.modeler.destroy();
      setOpened(null);
    };
  }, [xml]);
  return { container, opened };
}

/** Width of the palette, which has one or two columns: pixels of the canvas that it covers. */
function widthOfPalette(container: HTMLElement | null): number {
  return container?.querySelector<HTMLElement>('.djs-palette')?.offsetWidth ?? 0;
}
