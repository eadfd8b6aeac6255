import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ifMatch, tagged, type Tagged } from '../../data/tagged.ts';
import type { ServiceVersion } from '@kethub/contract';
import { serviceQuery } from '../../data/queries.ts';
import { useServiceAddress } from '../service/use-service.ts';

/** A workflow file with the version that it belongs to. */
export interface OpenFile {
  readonly xml: string;
  readonly version: string;
  readonly state: string;
  readonly applicationId: string | null;
  readonly etag: string | null;
}

/** Saving, deploying and reading of the file that the modeller shows. */
export function useFile(first: OpenFile) {
  const { acting, serviceId } = useServiceAddress();
  const { platform } = acting;
  const queries = useQueryClient();
  const [file, setFile] = useState(first);
  const [saved, setSaved] = useState(first.xml);
  const [current, setCurrent] = useState(first.xml);
  const latest = useRef(first);
  latest.current = file;
  const text = useRef(current);
  text.current = current;
  const take = ({ value, etag }: Tagged<ServiceVersion>, xml: string): OpenFile => {
    const next = {
      xml: latest.current.xml,
      version: value.version,
      state: value.state,
      applicationId: value.workflow?.applicationId ?? null,
      etag,
    };
    latest.current = next;
    setFile(next);
    setSaved(xml);
    void queries.invalidateQueries({ queryKey: serviceQuery(acting, serviceId).queryKey });
    return next;
  };
  /** Writes into the draft; of a version that is deployed, makes the next one. */
  const write = async (over?: string | null): Promise<OpenFile> => {
    const { version, state, applicationId, etag } = latest.current;
    const xml = text.current;
    const body = new Blob([xml], { type: 'application/xml' });
    if (state === 'DRAFT') {
      const headers = ifMatch(over === undefined ? etag : over);
      return take(
        await tagged<ServiceVersion>(platform.replaceSource.response({ serviceId, version, body, headers })),
        xml,
      );
    }
    const form = new FormData();
    if (applicationId !== null) form.set('applicationId', applicationId);
    form.set('source', body, 'workflow.bpmn');
    const added = await platform.addServiceVersion({ serviceId, body: form });
    const read = platform.getServiceVersion.response({ serviceId, version: added.version });
    return take(await tagged<ServiceVersion>(read), xml);
  };
  const save = useMutation({ mutationFn: write });
  const deploy = useMutation({
    async mutationFn() {
      const { version, etag } = text.current === saved ? latest.current : await write();
      const json = { visibility: 'INTERNAL' as const };
      const headers = ifMatch(etag);
      const asked = platform.publishServiceVersion.response({ serviceId, version, json, headers });
      return take(await tagged<ServiceVersion>(asked), text.current);
    },
  });
  const choose = useMutation({
    async mutationFn(applicationId: string | null) {
      const { version } = latest.current;
      const asked = platform.setWorkflowApplication.response({ serviceId, version, json: { applicationId } });
      return take(await tagged<ServiceVersion>(asked), saved);
    },
  });
  /** Reads what is saved now. */
  const read = async (): Promise<OpenFile> => {
    const { version } = latest.current;
    const known = await tagged<ServiceVersion>(platform.getServiceVersion.response({ serviceId, version }));
    const source = await platform.downloadSource({ serviceId, version });
    return {
      xml: await source.text(),
      version,
      state: known.value.state,
      applicationId: known.value.workflow?.applicationId ?? null,
      etag: known.etag,
    };
  };
  /** Shows another file in place of the present one. */
  const show = (next: OpenFile, isSaved: boolean): void => {
    setFile(next);
    setCurrent(next.xml);
    if (isSaved) setSaved(next.xml);
    save.reset();
  };
  return { file, current, change: setCurrent, isDirty: current !== saved, save, deploy, choose, read, show };
}
