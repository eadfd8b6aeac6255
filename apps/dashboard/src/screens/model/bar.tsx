import { Button, Menu, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { applicationsQuery } from '../../data/application-queries.ts';
import { isStale } from '../../forms/conflict.tsx';
import { useEveryPage } from '../../look/more.tsx';
import { State } from '../../look/parts.tsx';
import type { Modelling } from '../../modeller/context.tsx';
import { pngFile, svgFile, withColours } from '../../modeller/kit/pictures.ts';
import { save as download } from '../../viewers/save.ts';
import { useServiceAddress } from '../service/use-service.ts';
import type { useFile } from './use-file.ts';

const Rehearse = lazy(() => import('../../modeller/rehearse/rehearse.tsx'));

/** State of the file, and the commands that concern it as a whole. */
export function Bar({
  file,
  modelling,
  mayChange,
  onFile,
}: {
  readonly file: ReturnType<typeof useFile>;
  readonly modelling: Modelling;
  readonly mayChange: boolean;
  readonly onFile: (file: File) => Promise<void>;
}) {
  const { at, serviceId } = useServiceAddress();
  const { kit, checked } = modelling;
  const { isDirty, isDrawn, save, deploy } = file;
  const { version, state } = file.file;
  const words = wordsOf(file, mayChange);
  const stack = kit.service('commandStack');
  const input = useRef<HTMLInputElement>(null);
  /** The file that is rehearsed; null while none is. */
  const [rehearsed, setRehearsed] = useState<string | null>(null);
  const isBroken = checked?.findings.some(({ isWarning, isOutside }) => !isWarning && isOutside !== true) ?? true;
  const isDeployed = state !== 'DRAFT' && !isDirty;
  const [problem, setProblem] = useState<string | null>(null);
  const exportPicture = async (make: (svg: string) => Promise<Blob>, ending: string): Promise<void> => {
    try {
      const { svg } = await kit.modeler.saveSVG();
      download(await make(withColours(svg)), `${version}.${ending}`);
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const rehearse = async (): Promise<void> => setRehearsed(await file.whole());
  const downloadFile = async (): Promise<void> =>
    download(new Blob([await file.whole()], { type: 'application/xml' }), `${version}.bpmn`);
  return (
    <>
      <div className="modeller-bar row apart">
        <div className="row">
          <State of={state} />
          <span className="quiet numbers small" role="status" aria-live={BY_ITSELF.has(words) ? 'off' : 'polite'}>
            {version} · {words}
          </span>
          <Caller file={file} mayChange={mayChange} />
        </div>
        <div className="row">
          <Button size="compact-sm" variant="default" disabled={!stack.canUndo()} onClick={() => stack.undo()}>
            Undo
          </Button>
          <Button size="compact-sm" variant="default" disabled={!stack.canRedo()} onClick={() => stack.redo()}>
            Redo
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="compact-sm" variant="default">
                File…
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => input.current?.click()}>Open a .bpmn file</Menu.Item>
              <Menu.Item onClick={() => void downloadFile()}>Download as .bpmn</Menu.Item>
              <Menu.Item onClick={() => void exportPicture(svgFile, 'svg')}>Download as SVG</Menu.Item>
              <Menu.Item onClick={() => void exportPicture(pngFile, 'png')}>Download as PNG</Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <input
            ref={input}
            type="file"
            hidden
            accept=".bpmn,.xml"
            aria-label="BPMN file"
            onChange={({ currentTarget }) => {
              const [given] = currentTarget.files ?? [];
              if (given) void onFile(given);
              currentTarget.value = '';
            }}
          />
          <Button size="compact-sm" variant="default" disabled={isBroken} onClick={() => void rehearse()}>
            Rehearse
          </Button>
          {mayChange && (
            <>
              <Button
                size="compact-sm"
                variant="default"
                disabled={!isDirty || !isDrawn}
                loading={save.isPending}
                onClick={() => save.mutate(undefined)}
              >
                Save
              </Button>
              <Button
                size="compact-sm"
                disabled={isBroken || isDeployed}
                loading={deploy.isPending}
                onClick={() => deploy.mutate()}
              >
                Deploy
              </Button>
            </>
          )}
          {isDeployed && (
            <Button size="compact-sm" renderRoot={(props) => <Link to={`${at}/run`} search={{ version }} {...props} />}>
              Run
            </Button>
          )}
        </div>
      </div>
      {problem !== null && (
        <p className="field-error modeller-problem" role="alert">
          {problem}
        </p>
      )}
      {rehearsed !== null && (
        <Suspense fallback={null}>
          <Rehearse xml={rehearsed} serviceId={serviceId} modelling={modelling} onClose={() => setRehearsed(null)} />
        </Suspense>
      )}
    </>
  );
}

/** The application as which the tasks call services. */
function Caller({ file, mayChange }: { readonly file: ReturnType<typeof useFile>; readonly mayChange: boolean }) {
  const { acting } = useServiceAddress();
  const applications = useInfiniteQuery(applicationsQuery(acting));
  useEveryPage(applications);
  const rows = applications.data?.pages.flat() ?? [];
  return (
    <Select
      size="xs"
      aria-label="Application as which tasks call services"
      placeholder="Calls services as…"
      data={rows.map(({ id, name }) => ({ value: id, label: name }))}
      value={file.file.applicationId}
      disabled={!mayChange}
      clearable
      onChange={(next) => file.choose.mutate(next)}
    />
  );
}

/** States that pass by themselves every few seconds: nobody wants to hear them. */
const BY_ITSELF: ReadonlySet<string> = new Set(['saving…', 'saved in a moment']);

/** Words for whether the platform has what is drawn. */
function wordsOf(
  { save, auto, isDirty, isKept, isDrawn, file }: ReturnType<typeof useFile>,
  mayChange: boolean,
): string {
  if (save.isPending || auto.isPending) return 'saving…';
  if (!isDirty) return 'saved';
  if (!mayChange) return 'changed here only, which you may not save';
  if (isStale(save.error) || isStale(auto.error)) return 'not saved: choose above which file stays';
  if (!isDrawn) return 'not saved: it is not drawn';
  const where = isKept ? 'this browser keeps it' : 'this browser cannot keep it: leave the page open';
  if (auto.error !== null) return `not saved, tried again soon; ${where}`;
  return file.state === 'DRAFT' ? 'saved in a moment' : `not saved; ${where}`;
}
