import { Button, Menu, Select } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { applicationsQuery } from '../../data/application-queries.ts';
import { useMay } from '../../data/context.tsx';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { useEveryPage } from '../../look/more.tsx';
import { State } from '../../look/parts.tsx';
import type { Modelling } from '../../modeller/context.tsx';
import { differencesOf } from '../../modeller/kit/differences.ts';
import { Modeller } from '../../modeller/modeller.tsx';
import { Rehearse } from '../../modeller/rehearse/rehearse.tsx';
import { Problem } from '../../shell/problem.tsx';
import { save as download } from '../../viewers/save.ts';
import { useServiceAddress } from '../service/use-service.ts';
import { useCallable } from './use-callable.ts';
import { useFile, type OpenFile } from './use-file.ts';

/** Bytes of a file that is imported; the platform takes no larger one. */
const LARGEST_FILE = 2 * 1024 * 1024;

/** One workflow file in the modeller: drawing, saving, deploying, importing and exporting. */
export function Editor({ first }: { readonly first: OpenFile }) {
  const file = useFile(first);
  const { isDirty, save, deploy } = file;
  const services = useCallable(file.file.applicationId);
  const mayChange = useMay('service:change');
  const { serviceId } = useServiceAddress();
  const [problem, setProblem] = useState<string | null>(null);
  useHotkeys(
    [
      ['mod+S', () => mayChange && save.mutate(undefined)],
      ['mod+Enter', () => mayChange && deploy.mutate()],
    ],
    [],
  );
  useEffect(() => {
    if (!isDirty) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);
  const error = save.error ?? deploy.error ?? file.choose.error;
  const take = async (given: File): Promise<void> => {
    if (given.size > LARGEST_FILE) return setProblem('The file is larger than 2 MiB, which no workflow may be.');
    setProblem(null);
    return file.show({ ...file.file, xml: await given.text() }, false);
  };
  return (
    <div className="workspace">
      {problem !== null && (
        <p className="panel field-error" role="alert">
          {problem}
        </p>
      )}
      {error && !isStale(error) && <Problem error={error} />}
      <Conflict
        error={error}
        read={file.read}
        compare={(theirs) => differencesOf(file.current, theirs.xml)}
        onMine={(theirs) => save.mutate(theirs.etag)}
        onTheirs={(theirs) => file.show(theirs, true)}
      />
      <Modeller
        key={serviceId}
        xml={file.file.xml}
        services={services}
        onChange={file.change}
        bar={(modelling) => <Bar file={file} modelling={modelling} mayChange={mayChange} onFile={take} />}
      />
    </div>
  );
}

function Bar({
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
  const { at } = useServiceAddress();
  const { kit, checked } = modelling;
  const { isDirty, save, deploy } = file;
  const { version, state } = file.file;
  const stack = kit.service('commandStack');
  const input = useRef<HTMLInputElement>(null);
  const [isRehearsing, setRehearsing] = useState(false);
  const isBroken = checked?.findings.some(({ isWarning }) => !isWarning) ?? true;
  const isDeployed = state !== 'DRAFT' && !isDirty;
  const exportSvg = async (): Promise<void> => {
    const { svg } = await kit.modeler.saveSVG();
    download(new Blob([withColours(svg)], { type: 'image/svg+xml' }), `${version}.svg`);
  };
  return (
    <>
      <div className="modeller-bar row apart">
        <div className="row">
          <State of={state} />
          <span className="quiet numbers small" role="status">
            {version} · {save.isPending ? 'saving…' : isDirty ? 'not saved' : 'saved'}
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
              <Menu.Item
                onClick={() => download(new Blob([file.current], { type: 'application/xml' }), `${version}.bpmn`)}
              >
                Download as .bpmn
              </Menu.Item>
              <Menu.Item onClick={() => void exportSvg()}>Download as SVG</Menu.Item>
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
          <Button size="compact-sm" variant="default" disabled={isBroken} onClick={() => setRehearsing(true)}>
            Rehearse
          </Button>
          {mayChange && (
            <>
              <Button
                size="compact-sm"
                variant="default"
                disabled={!isDirty}
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
      {isRehearsing && <Rehearse xml={file.current} modelling={modelling} onClose={() => setRehearsing(false)} />}
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

/** An SVG whose colours do not depend on the page. */
function withColours(svg: string): string {
  return svg.replaceAll('var(--panel)', '#ffffff').replaceAll('var(--ink)', '#1a1d29');
}
