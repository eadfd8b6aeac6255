import { useState } from 'react';
import { InstanceDiagram } from './instance/diagram.tsx';
import { NOTHING_DRAWN } from './instance/names.ts';
import type { Step } from './instance/progress.ts';
import { Tree } from './outline/tree-view.tsx';

/** Widths at which a file can be read, but not drawn: no room for palette, canvas and inspector. */
export const TOO_NARROW = '(max-width: 40em)';

const NO_STEPS: readonly Step[] = [];

/** The diagram of a file and its outline, for a telephone. Nothing can be changed. */
export function Reading({ xml }: { readonly xml: string }) {
  const [{ rows }, setDrawn] = useState(NOTHING_DRAWN);
  const [element, setElement] = useState<string | null>(null);
  return (
    <section className="panel flush" aria-label="Workflow">
      <p className="panel-text" role="note">
        This window is narrow, so the workflow can only be read. To change it, make the window wider, zoom out, or use a
        larger screen.
      </p>
      <InstanceDiagram
        xml={xml}
        journal={NO_STEPS}
        until={Infinity}
        selected={element}
        onSelect={(id) => id !== null && setElement(id)}
        onDrawn={setDrawn}
        className="instance-canvas"
        label="Diagram; the outline says the same in words"
      />
      <Tree rows={rows} noteOf={() => null} selectedId={element} onSelect={setElement} onOpen={() => undefined} />
    </section>
  );
}
