import type { ServiceVersion } from '@kethub/contract';
import { KethubError } from '@kethub/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { forgetFile, keepFile, type KeptFile } from '../../data/kept-files.ts';
import { subscriptionsQuery } from '../../data/application-queries.ts';
import { serviceQuery } from '../../data/queries.ts';
import { ifMatch, tagged, type Tagged } from '../../data/tagged.ts';
import { isStale, Overtaken } from '../../forms/conflict.tsx';
import { NOT_SUBSCRIBED } from '../../modeller/check/subscribed.ts';
import type { Judged } from '../../modeller/context.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { NOTHING_TO_REPORT } from '../../modeller/modeller.tsx';
import { useAutosave } from './use-autosave.ts';

/** A workflow file with the version that it belongs to. */
export interface OpenFile {
  readonly xml: string;
  readonly version: string;
  readonly state: string;
  readonly applicationId: string | null;
  readonly etag: string | null;
}

/** A file as the platform has it, with changes that only this browser has. */
export interface FirstFile {
  readonly file: OpenFile;
  readonly kept: KeptFile | null;
  /** Name under which changes are kept in this browser. */
  readonly draftId: string;
}

/** Saving, deploying and reading of the file that the modeller shows. */
export function useFile({ file: first, kept, draftId }: FirstFile, mayChange: boolean) {
  const { acting, serviceId } = useServiceAddress();
  const { platform } = acting;
  const queries = useQueryClient();
  // A file that was kept goes on from the tag that it knew: what others have saved since then is not overwritten.
  const [file, setFile] = useState(() => (kept ? { ...first, xml: kept.xml, etag: kept.etag } : first));
  const [saved, setSaved] = useState(first.xml);
  /** The application of the version that the platform has: another one belongs to the next version. */
  const [savedCaller, setSavedCaller] = useState(first.applicationId);
  const [current, setCurrent] = useState(file.xml);
  /** Number of the file that is shown: the modeller opens anew with each, also with one of the same text. */
  const [opening, setOpening] = useState(0);
  /** The last of these that was drawn: a file that cannot be drawn is not saved. */
  const [drawn, setDrawn] = useState<number | null>(null);
  const isDrawn = drawn === opening;
  /** False when the browser could not keep the last change. */
  const [isKept, setKept] = useState(true);
  const [judged, setJudged] = useState<Judged | null>(null);
  const latest = useRef(file);
  latest.current = file;
  const text = useRef(current);
  const report = useRef(NOTHING_TO_REPORT);
  const known = useRef(saved);
  const knownCaller = useRef(savedCaller);
  knownCaller.current = savedCaller;
  const isKnown = (): boolean => text.current === known.current && latest.current.applicationId === knownCaller.current;
  const canBeSaved = useRef(isDrawn);
  canBeSaved.current = isDrawn;
  // One change after the other: each sends the tag that the one before has got.
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const oneAtATime = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = queue.current.then(work, work);
    queue.current = turn;
    return turn;
  };
  const keep = (xml: string): void => {
    const { version, etag } = latest.current;
    void keepFile(draftId, { xml, version, etag, at: Date.now() }).then(setKept);
  };
  const take = ({ value, etag }: Tagged<ServiceVersion>, xml: string): OpenFile => {
    const next = { ...openFileOf(value, etag), xml: latest.current.xml };
    latest.current = next;
    known.current = xml;
    knownCaller.current = next.applicationId;
    setFile(next);
    setSaved(xml);
    setSavedCaller(next.applicationId);
    setJudged({ xml, problems: value.workflow?.problems ?? [] });
    if (text.current === xml) void forgetFile(draftId);
    else keep(text.current);
    void queries.invalidateQueries({ queryKey: serviceQuery(acting, serviceId).queryKey });
    return next;
  };
  /** Reads what is saved now. */
  const read = async (): Promise<OpenFile> => {
    const { version } = latest.current;
    const found = await tagged<ServiceVersion>(platform.getServiceVersion.response({ serviceId, version }));
    const source = await platform.downloadSource({ serviceId, version });
    return { ...openFileOf(found.value, found.etag), xml: await source.text() };
  };
  /**
   * Goes on from the version as it is now, if somebody else has deployed the file that is known here: null. Throws
   * Overtaken if it was another file, unless a person has decided on that; throws any other failure.
   */
  const published = async (error: unknown, isDecided: boolean): Promise<null> => {
    const isPublished = error instanceof KethubError && error.code === 'version-published';
    if (!isPublished && !isStale(error)) throw error;
    const theirs = await read();
    if (!isPublished && theirs.state === 'DRAFT') throw error;
    if (!isDecided && theirs.xml !== known.current) throw overtaken(theirs.version);
    latest.current = { ...theirs, xml: latest.current.xml };
    setFile(latest.current);
    setSavedCaller(theirs.applicationId);
    return null;
  };
  /** Puts what keeps a file from being deployed into its problems. What can be called may have changed meanwhile. */
  const refused = (error: unknown, xml: string): never => {
    const { applicationId } = latest.current;
    if (isRefused(error)) {
      const problems = error.errors.map(({ elementId = null, code = '', detail }) => ({
        elementId,
        code,
        message: code === 'NOT_SUBSCRIBED' && applicationId !== null ? NOT_SUBSCRIBED : detail,
      }));
      setJudged({ xml, problems, isRefused: true });
      if (applicationId !== null)
        void queries.invalidateQueries({ queryKey: subscriptionsQuery(acting, applicationId).queryKey });
    }
    throw error;
  };
  /** Writes into the draft; of a version that is deployed, makes the next one. */
  const write = async (over?: string | null, isAuto = false): Promise<OpenFile> => {
    if (!canBeSaved.current) throw new Error('The file is not drawn, so it is not saved.');
    const { version, state, applicationId, etag } = latest.current;
    const xml = text.current;
    const body = new Blob([xml], { type: 'application/xml' });
    if (state === 'DRAFT') {
      const headers = ifMatch(over === undefined ? etag : over);
      const asked = platform.replaceSource.response({ serviceId, version, body, headers });
      const written = await tagged<ServiceVersion>(asked).catch((error: unknown) =>
        published(error, over !== undefined),
      );
      if (written !== null) return take(written, xml);
      // Only a person makes the next version.
      if (isAuto) return latest.current;
    }
    const form = new FormData();
    if (applicationId !== null) form.set('applicationId', applicationId);
    form.set('source', body, 'workflow.bpmn');
    const added = await platform.addServiceVersion({ serviceId, body: form });
    const read = platform.getServiceVersion.response({ serviceId, version: added.version });
    return take(await tagged<ServiceVersion>(read), xml);
  };
  /** Number of saves that a person has asked for and that are under way. */
  const saving = useRef(0);
  const save = useMutation({
    mutationFn(over?: string | null) {
      saving.current++;
      return oneAtATime(async () => {
        await report.current();
        return over === undefined && isKnown() ? latest.current : write(over);
      }).finally(() => saving.current--);
    },
  });
  const isDirty = current !== saved || file.applicationId !== savedCaller;
  const auto = useAutosave({
    isWanted: isDrawn && mayChange && file.state === 'DRAFT' && !isStale(save.error),
    isDirty,
    async write() {
      await oneAtATime(async () => {
        // Another change may have saved or deployed it while this one waited.
        if (latest.current.state === 'DRAFT' && text.current !== known.current) await write(undefined, true);
      });
      // A save that waits for this one has yet to say how it ended.
      if (saving.current === 0) save.reset();
    },
    report: () => report.current(),
  });
  const deploy = useMutation({
    mutationFn: () =>
      oneAtATime(async () => {
        await report.current();
        const { version, state, etag } = isKnown() ? latest.current : await write();
        if (state !== 'DRAFT') return latest.current;
        const xml = known.current;
        const json = { visibility: 'INTERNAL' as const };
        const asked = platform.publishServiceVersion.response({ serviceId, version, json, headers: ifMatch(etag) });
        const deployed = await tagged<ServiceVersion>(asked)
          .catch((error: unknown) => refused(error, xml))
          .catch((error: unknown) => published(error, false));
        if (deployed === null) return latest.current;
        // A version that is deployed already answers as if this had deployed it.
        const { xml: theirs } = await read();
        if (theirs !== xml) throw overtaken(version);
        return take(deployed, xml);
      }),
  });
  /** Has the next version call services as an application: that of a deployed version cannot be changed. */
  const callAs = (applicationId: string | null): OpenFile => {
    latest.current = { ...latest.current, applicationId };
    setFile(latest.current);
    return latest.current;
  };
  const choose = useMutation({
    mutationFn: (applicationId: string | null) =>
      oneAtATime(async () => {
        const { version, state, etag } = latest.current;
        if (state !== 'DRAFT') return callAs(applicationId);
        const change = { json: { applicationId }, headers: ifMatch(etag) };
        const asked = platform.setWorkflowApplication.response({ serviceId, version, ...change });
        const written = await tagged<ServiceVersion>(asked).catch((error: unknown) => published(error, false));
        return written === null ? callAs(applicationId) : take(written, known.current);
      }),
  });
  /** Forgets failures, once somebody has decided what becomes of them. */
  const settle = (): void => {
    save.reset();
    auto.reset();
    deploy.reset();
    choose.reset();
  };
  /** Shows another file in place of the present one. */
  const show = (next: OpenFile, isSaved: boolean): void => {
    report.current = NOTHING_TO_REPORT;
    latest.current = next;
    text.current = next.xml;
    setFile(next);
    setOpening((last) => last + 1);
    setCurrent(next.xml);
    if (isSaved) {
      known.current = next.xml;
      setSaved(next.xml);
      setSavedCaller(next.applicationId);
      void forgetFile(draftId);
    } else keep(next.xml);
    settle();
  };
  const change = useCallback((xml: string) => {
    text.current = xml;
    setCurrent(xml);
    keep(xml);
  }, []);
  const onDrawn = (): void => setDrawn(opening);
  /** The file with whatever is typed or drawn until now. */
  const whole = async (): Promise<string> => {
    await report.current();
    return text.current;
  };
  const state = { file, opening, current, isDirty, isKept, isDrawn, judged };
  return { ...state, report, change, onDrawn, save, auto, deploy, choose, read, show, settle, whole };
}

function overtaken(version: string): Overtaken {
  return new Overtaken(`Somebody else has deployed version ${version} with another file in the meantime.`);
}

/** Returns whether a file was refused when it was to be deployed. */
export function isRefused(error: unknown): error is KethubError {
  return error instanceof KethubError && error.code === 'invalid-workflow';
}

/** A version as a file; its text comes from elsewhere. */
export function openFileOf({ version, state, workflow }: ServiceVersion, etag: string | null): Omit<OpenFile, 'xml'> {
  return { version, state, applicationId: workflow?.applicationId ?? null, etag };
}
