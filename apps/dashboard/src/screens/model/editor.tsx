import { Button } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { whyNotDrawn } from '../../modeller/kit/open.ts';
import { Modeller } from '../../modeller/modeller.tsx';
import { Reading, TOO_NARROW } from '../../modeller/reading.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { Bar } from './bar.tsx';
import { useOtherCallables } from './other-callables.tsx';
import { useCallable } from './use-callable.ts';
import { isRefused, useFile, type FirstFile } from './use-file.ts';

const SideBySide = lazy(() => import('../../modeller/compare/side-by-side.tsx'));
/** Bytes of a file that is imported; the platform takes no larger one. */
const LARGEST_FILE = 2 * 1024 * 1024;

/** One workflow file in the modeller: drawing, saving, deploying, importing and exporting. */
export function Editor({ first }: { readonly first: FirstFile }) {
  const mayChange = useMay('service:change');
  const file = useFile(first, mayChange);
  const { isDirty, save, auto, deploy } = file;
  const callable = useCallable(file.file.applicationId);
  const others = useOtherCallables();
  const { serviceId } = useServiceAddress();
  const [restored, setRestored] = useState(first.kept);
  /** The file in place of which another one was opened; null while there is none to take back. */
  const [replaced, setReplaced] = useState<{ readonly xml: string; readonly by: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isNarrow = useMediaQuery(TOO_NARROW, false, { getInitialValueInEffect: false });
  // A modeller that was open stays so: it has what is not saved, and what can be taken back.
  const [isOpen, setOpen] = useState(!isNarrow);
  if (!isNarrow && !isOpen) setOpen(true);
  useHotkeys(
    [
      ['mod+S', () => mayChange && !isNarrow && save.mutate(undefined)],
      ['mod+Enter', () => mayChange && !isNarrow && deploy.mutate()],
    ],
    [],
    true,
  );
  useEffect(() => {
    if (!isDirty) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);
  const stale = [save.error, auto.error, deploy.error, file.choose.error].find(isStale) ?? null;
  const error = save.error ?? deploy.error ?? file.choose.error;
  const take = async (given: File): Promise<void> => {
    if (given.size > LARGEST_FILE) return setProblem('The file is larger than 2 MiB, which no workflow may be.');
    const xml = await given.text();
    const failure = await whyNotDrawn(xml);
    if (failure !== null) return setProblem(`${given.name} cannot be drawn, so your file stays: ${failure}`);
    setProblem(null);
    // A file that could not be drawn is not worth taking back.
    setReplaced(file.isDrawn ? { xml: await file.whole(), by: given.name } : null);
    return file.show({ ...file.file, xml }, false);
  };
  const isSaved = save.isSuccess || deploy.isSuccess;
  useEffect(() => {
    if (!isSaved) return;
    setReplaced(null);
    setRestored(null);
  }, [isSaved]);
  const takeSaved = async (): Promise<void> => {
    try {
      file.show(await file.read(), true);
      setRestored(null);
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <div className="workspace">
      {problem !== null && (
        <p className="panel field-error" role="alert">
          {problem}
        </p>
      )}
      {isRefused(error) && (
        <p className="panel field-error" role="alert">
          The platform does not deploy this file. The problems below the diagram say why.
        </p>
      )}
      {error && !isStale(error) && !isRefused(error) && <Problem error={error} />}
      {callable.error && <Problem error={callable.error} onRetry={callable.retry} />}
      {restored && !stale && (
        <div className="panel row apart" role="status">
          <span>
            These are your changes of {new Date(restored.at).toLocaleString()}, which were not saved. This browser had
            kept them.
          </span>
          <span className="row">
            <Button size="compact-sm" variant="default" onClick={() => void takeSaved()}>
              Show what is saved
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setRestored(null)}>
              Keep them
            </Button>
          </span>
        </div>
      )}
      {replaced && !stale && (
        <div className="panel row apart" role="status">
          <span>{replaced.by} is shown in place of what you had. Your next Save or Deploy makes that final.</span>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              file.show({ ...file.file, xml: replaced.xml }, false);
              setReplaced(null);
            }}
          >
            Take back
          </Button>
        </div>
      )}
      <Conflict
        error={stale}
        read={file.read}
        onMine={(theirs) => save.mutate(theirs.etag, { onSuccess: file.settle })}
        onTheirs={(theirs) => file.show(theirs, true)}
      >
        {(theirs) => (
          <Suspense fallback={<p className="quiet">Loading…</p>}>
            <SideBySide mine={file.current} theirs={theirs.xml} />
          </Suspense>
        )}
      </Conflict>
      {others.reading}
      {isNarrow && <Reading xml={file.current} />}
      {isOpen && (
        <div hidden={isNarrow}>
          <Modeller
            key={`${serviceId} ${file.opening}`}
            xml={file.file.xml}
            own={callable}
            others={others.known}
            onApplications={others.setIds}
            applicationId={file.file.applicationId}
            judged={file.judged}
            onDrawn={file.onDrawn}
            onChange={file.change}
            report={file.report}
            bar={(modelling) => <Bar file={file} modelling={modelling} mayChange={mayChange} onFile={take} />}
          />
        </div>
      )}
    </div>
  );
}
