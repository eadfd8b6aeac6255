import { useEffect, useMemo, useRef, useState } from 'react';
import type { Kit } from '../kit/types.ts';
import { fit, openViewer } from '../kit/view.ts';
import { differencesOf, type Change, type ElementChange } from './differences.ts';

const WORDS: Readonly<Record<Change, string>> = {
  added: 'only in yours',
  removed: 'only in what is saved',
  changed: 'says something else',
  moved: 'is drawn elsewhere',
};

/** Two files as diagrams beside each other, with what differs in colour and as a list. */
export default function SideBySide({ mine, theirs }: { readonly mine: string; readonly theirs: string }) {
  const changes = useMemo(() => differencesOf(theirs, mine), [mine, theirs]);
  const [shown, setShown] = useState<string | null>(null);
  return (
    <div className="side-by-side">
      <Side title="Yours" xml={mine} changes={changes} without="removed" shown={shown} />
      <Side title="Saved now" xml={theirs} changes={changes} without="added" shown={shown} />
      <ul className="side-by-side-list" aria-label="Differences">
        {changes.map(({ id, name, change }) => (
          <li key={id}>
            <button type="button" className="problem-row" aria-pressed={shown === id} onClick={() => setShown(id)}>
              <span>{name}</span>
              <span className={`difference ${change}`}>{WORDS[change]}</span>
            </button>
          </li>
        ))}
        {changes.length === 0 && <li className="quiet small">Both say the same.</li>}
      </ul>
    </div>
  );
}

function Side({
  title,
  xml,
  changes,
  without,
  shown,
}: {
  readonly title: string;
  readonly xml: string;
  readonly changes: readonly ElementChange[];
  /** Changes of elements that this file does not have. */
  readonly without: Change;
  readonly shown: string | null;
}) {
  const container = useRef<HTMLDivElement>(null);
  const [kit, setKit] = useState<Kit | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (!container.current) return undefined;
    const opened = openViewer(container.current);
    let isOpen = true;
    opened.modeler.importXML(xml).then(
      () => {
        if (!isOpen) return;
        fit(opened, 0);
        setKit(opened);
      },
      (error: unknown) => isOpen && setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isOpen = false;
      setKit(null);
      opened.modeler.destroy();
    };
  }, [xml]);
  useEffect(() => {
    if (!kit) return undefined;
    const registry = kit.service('elementRegistry');
    const canvas = kit.service('canvas');
    const marked = changes.filter(({ id, change }) => change !== without && registry.get(id));
    for (const { id, change } of marked) canvas.addMarker(id, change);
    return () => {
      for (const { id, change } of marked) if (registry.get(id)) canvas.removeMarker(id, change);
    };
  }, [kit, changes, without]);
  useEffect(() => {
    const drawn = shown === null ? undefined : kit?.service('elementRegistry').get(shown);
    if (!kit || !drawn) return undefined;
    kit.service('canvas').scrollToElement(drawn);
    kit.service('canvas').addMarker(drawn.id, 'looked-at');
    return () => kit.service('canvas').removeMarker(drawn.id, 'looked-at');
  }, [kit, shown]);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      {failure !== null && <p className="quiet small note">This file cannot be drawn: {failure}</p>}
      <div
        ref={container}
        className="side-by-side-canvas"
        role="group"
        aria-label={`${title}; the list of differences says the same in words`}
      />
    </figure>
  );
}
