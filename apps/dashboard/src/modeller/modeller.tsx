import type { BuiltinCall } from '@kethub/feel';
import { Tabs } from '@mantine/core';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import { writeExact } from '../data/exact-json.ts';
import { openChecker, type Checker } from './check/checker.ts';
import { drawingFindings } from './check/drawing.ts';
import { applicationsIn, subscribedFindings } from './check/subscribed.ts';
import type { Checked, Finding } from './check/protocol.ts';
import { ModellingContext, type Judged, type Modelling } from './context.tsx';
import { Inspector } from './inspector/inspector.tsx';
import { putTyped } from './inspector/typed.ts';
import { exampleIn } from './kit/example.ts';
import { taskOf, type CalledBy } from './kit/services.ts';
import type { Drawn } from './kit/types.ts';
import { selectIn } from './kit/view.ts';
import { useModellerKeys } from './keys.ts';
import { Outline } from './outline/outline.tsx';
import { Problems } from './problems.tsx';
import { useKit, type Opened } from './use-kit.ts';
import { Ket } from '../look/parts.tsx';

/** Milliseconds without a change after which the file is checked. */
const DEBOUNCE_MS = 250;

interface Props {
  /** The file to open. Another text opens another modeler. */
  readonly xml: string;
  /** Services of the application of the workflow. */
  readonly own: CalledBy;
  /** Services of the applications that tasks name themselves, as far as they are read. */
  readonly others: ReadonlyMap<string, CalledBy>;
  /** Called with the applications that tasks name themselves. */
  readonly onApplications: (ids: readonly string[]) => void;
  /** Application as which tasks call services. */
  readonly applicationId: string | null;
  /** The last file that the platform has judged. */
  readonly judged: Judged | null;
  /** Bar above the canvas: commands that need the diagram. */
  readonly bar: (modelling: Modelling) => ReactNode;
  /** Called when the file is drawn; never for a file that cannot be. */
  readonly onDrawn: () => void;
  /** Called with the file after every change. */
  readonly onChange: (xml: string) => void;
  /** Is set to the function that calls `onChange` at once, with whatever is typed or drawn but not reported yet. */
  readonly report: RefObject<() => Promise<void>>;
}

/** Stands for the modeller while it shows no file. */
export const NOTHING_TO_REPORT = (): Promise<void> => Promise.resolve();

/** Palette and canvas, outline, inspector and problems of one workflow file. */
export function Modeller({ xml, onDrawn, ...rest }: Props) {
  const { container, opened } = useKit(xml);
  const checker = useChecker();
  const isDrawn = opened?.failure === null;
  const drawn = useRef(onDrawn);
  drawn.current = onDrawn;
  useEffect(() => {
    if (isDrawn) drawn.current();
  }, [isDrawn]);
  return (
    <div className="modeller">
      {opened && opened.failure === null && checker ? (
        <Parts xml={xml} opened={opened} checker={checker} {...rest} />
      ) : (
        <>
          {opened && checker && rest.bar(withoutDrawing(opened.kit, checker, rest.own.services))}
          <p className="panel modeller-problem" role="status">
            {opened?.failure == null
              ? 'Loading…'
              : `This file cannot be drawn: ${opened.failure}. Open another one under File….`}
          </p>
        </>
      )}
      <div
        ref={container}
        className="canvas"
        role="application"
        aria-label="Diagram; the outline has the same for keys"
      />
    </div>
  );
}

/** State for the bar above a file that cannot be drawn: another file can be opened in its place. */
function withoutDrawing(kit: Modelling['kit'], checker: Checker, services: Modelling['services']): Modelling {
  const nothing = {
    selected: null,
    root: kit.service('canvas').getRootElement(),
    select: () => undefined,
    checked: null,
    functions: [],
    example: '{}',
    focused: null,
    others: new Map(),
  };
  return { kit, revision: 0, checker, services, ...nothing };
}

/** A worker for as long as the page shows the modeller. */
export function useChecker(): Checker | null {
  const [checker, setChecker] = useState<Checker | null>(null);
  useEffect(() => {
    const opened = openChecker();
    setChecker(opened);
    return () => opened.close();
  }, []);
  return checker;
}

function Parts({
  opened,
  checker,
  xml: given,
  own,
  others,
  onApplications,
  applicationId,
  judged,
  bar,
  onChange,
  report,
}: Omit<Props, 'onDrawn'> & { readonly opened: Opened; readonly checker: Checker }) {
  const { kit, revision, selected, root } = opened;
  const [last, setLast] = useState<{ readonly xml: string; readonly checked: Checked } | null>(null);
  const [focused, setFocused] = useState<Finding | null>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  useLayoutEffect(() => {
    report.current = async () => {
      kit.service('directEditing').complete();
      putTyped();
      const isChanged = revision > 1 || kit.service('commandStack').canUndo();
      if (!isChanged) return;
      const { xml = '' } = await kit.modeler.saveXML({ format: true });
      changed.current(xml);
    };
  });
  useEffect(
    () => () => {
      report.current = NOTHING_TO_REPORT;
    },
    [report],
  );
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(() => {
      void kit.modeler.saveXML({ format: true }).then(async ({ xml = '' }) => {
        if (!isWanted) return;
        if (revision > 1) changed.current(xml);
        const checked = await checker.check(xml).catch(failed);
        // A file that nobody has changed is judged as it was read, not as it is written.
        if (isWanted) setLast({ xml: revision > 1 ? xml : given, checked });
      });
    }, DEBOUNCE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [kit, checker, revision, given]);
  useModellerKeys(kit);
  const select = useCallback((element: Drawn | null) => selectIn(kit, element), [kit]);
  const checked = useMemo(() => {
    if (!last) return null;
    const unsubscribed = subscribedFindings(kit, applicationId, own, others);
    const { checked } = last;
    const all = withPlatforms(
      { ...last, checked: { ...checked, findings: [...checked.findings, ...unsubscribed] } },
      judged,
    );
    return { ...all, findings: [...all.findings, ...drawingFindings(kit)] };
  }, [kit, last, judged, applicationId, own, others]);
  const named = useMemo(() => applicationsIn(kit).join(' '), [kit, revision]);
  useEffect(() => onApplications(named === '' ? [] : named.split(' ')), [named, onApplications]);
  const functions = useFunctions(checker);
  const example = useMemo(() => writeExact(exampleIn(kit), 0), [kit, revision]);
  const modelling: Modelling = {
    kit,
    revision,
    selected,
    root,
    select,
    checker,
    checked,
    services: own.services,
    others,
    functions,
    example,
    focused,
  };
  const inspector = useRef<HTMLElement>(null);
  // The form of another element begins at its top; a field that is focused comes into view after this.
  useLayoutEffect(() => {
    // Newer browsers return a promise, which is no clean-up.
    inspector.current?.scrollTo(0, 0);
  }, [selected?.id]);
  const openInspector = (): void => {
    requestAnimationFrame(() => inspector.current?.querySelector<HTMLElement>('input, textarea, select')?.focus());
  };
  return (
    <ModellingContext value={modelling}>
      {bar(modelling)}
      <aside className="modeller-left" aria-label="Services and outline">
        <Tabs defaultValue="outline" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="outline">Outline</Tabs.Tab>
            <Tabs.Tab value="services">Services</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="outline">
            <Outline onOpen={openInspector} />
          </Tabs.Panel>
          <Tabs.Panel value="services">
            <Services modelling={modelling} />
          </Tabs.Panel>
        </Tabs>
      </aside>
      <aside className="modeller-right" ref={inspector} aria-label="Inspector">
        <Inspector />
      </aside>
      <Problems
        onSelect={(finding) => {
          const element =
            finding.elementId === null ? undefined : kit.service('elementRegistry').get(finding.elementId);
          if (element) select(element);
          setFocused(finding);
        }}
      />
    </ModellingContext>
  );
}

/** Problems of the worker, with those that the platform alone finds in the same file, such as in a Request Schema. */
function withPlatforms(
  { xml, checked }: { readonly xml: string; readonly checked: Checked },
  judged: Judged | null,
): Checked {
  if (judged?.xml !== xml) return checked;
  const known = new Set(checked.findings.map(({ elementId, message }) => `${elementId} ${message}`));
  const more = judged.problems.filter(({ elementId, message }) => !known.has(`${elementId} ${message}`));
  return {
    ...checked,
    findings: [
      ...checked.findings,
      ...more.map((problem) => ({ ...problem, isWarning: false, isOutside: judged.isRefused === true })),
    ],
  };
}

/** A check that has not come to its end, such as one that took too long, as a problem of the file. */
function failed(error: unknown): Checked {
  const message = error instanceof Error ? error.message : String(error);
  return { findings: [{ elementId: null, message, isWarning: false }], ms: 0, requestSchema: null, times: {} };
}

/** The functions of FEEL, as the worker knows them. */
function useFunctions(checker: Checker): readonly BuiltinCall[] {
  const [functions, setFunctions] = useState<readonly BuiltinCall[]>([]);
  useEffect(() => {
    let isWanted = true;
    checker.functions().then(
      (known) => isWanted && setFunctions(known),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [checker]);
  return functions;
}

/** Pixels from which a mouse that is held down drags. */
const DRAG = 4;

/** Calls `begin` when the mouse is moved while it is held down. Not every browser drags buttons by itself. */
function onceMoved(down: MouseEvent, begin: (event: MouseEvent) => void): void {
  const move = (event: MouseEvent): void => {
    if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < DRAG) return;
    stop();
    begin(event);
  };
  const stop = (): void => {
    document.removeEventListener('mousemove', move);
    document.removeEventListener('mouseup', stop);
  };
  document.addEventListener('mousemove', move);
  document.addEventListener('mouseup', stop);
}

/** Services of the application, to be dragged onto the canvas. */
function Services({ modelling: { kit, services } }: { readonly modelling: Modelling }) {
  if (services.length === 0)
    return (
      <p className="quiet small note">
        None yet. The application of the workflow has to subscribe to a service before a task can call it.
      </p>
    );
  return (
    <ul className="service-list">
      {services.map((service) => (
        <li key={service.id}>
          <button
            type="button"
            className="service-card"
            title="Drag it onto the canvas"
            onClick={({ nativeEvent }) => kit.service('create').start(nativeEvent, taskOf(kit, service))}
            onMouseDown={({ nativeEvent }) =>
              onceMoved(nativeEvent, (event) => kit.service('create').start(event, taskOf(kit, service)))
            }
          >
            <Ket>{service.name}</Ket>
          </button>
        </li>
      ))}
    </ul>
  );
}
