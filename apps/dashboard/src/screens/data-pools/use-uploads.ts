import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useAskBeforeLeaving } from '../../data/ask-before-leaving.ts';
import { platformFor } from '../../data/client.ts';
import { useSession } from '../../data/context.tsx';
import { fetchWithProgress } from '../../data/fetch-with-progress.ts';
import { useDataPoolAddress } from './use-data-pool.ts';

export interface Upload {
  readonly key: number;
  readonly file: File;
  readonly state: 'waiting' | 'sending' | 'failed';
  /** Bytes that were sent. */
  readonly sent: number;
  readonly error: unknown;
}

export interface Uploads {
  readonly rows: readonly Upload[];
  add(files: readonly File[]): void;
  /** Stops an upload, or takes one that failed from the list. */
  remove(key: number): void;
  again(key: number): void;
}

/** Uploads files into the data pool of the page, one after the other. Leaving the page stops them. */
export function useUploads(): Uploads {
  const { acting, dataPoolId } = useDataPoolAddress();
  const { base, organizationId } = acting;
  const session = useSession();
  const queries = useQueryClient();
  const [rows, setRows] = useState<readonly Upload[]>([]);
  const last = useRef(0);
  const stops = useRef(new Map<number, AbortController>());
  const change = useCallback(
    (key: number, changed: Partial<Upload>): void =>
      setRows((before) => before.map((one) => (one.key === key ? { ...one, ...changed } : one))),
    [],
  );
  const send = useCallback(
    async ({ key, file }: Upload): Promise<void> => {
      const stop = new AbortController();
      stops.current.set(key, stop);
      change(key, { state: 'sending', sent: 0, error: null });
      const platform = platformFor(
        session,
        organizationId,
        fetchWithProgress((sent) => change(key, { sent })),
      );
      try {
        const headers = { 'content-type': file.type === '' ? 'application/octet-stream' : file.type };
        await platform.uploadDataPoolFile({ dataPoolId, name: file.name, body: file, headers, signal: stop.signal });
        setRows((before) => before.filter((one) => one.key !== key));
        await queries.invalidateQueries({ queryKey: [base, 'data-pool', dataPoolId] });
      } catch (error) {
        if (!stop.signal.aborted) change(key, { state: 'failed', error });
      } finally {
        stops.current.delete(key);
      }
    },
    [base, change, dataPoolId, organizationId, queries, session],
  );
  useEffect(() => {
    const next = rows.find(({ state }) => state === 'waiting');
    if (next && !rows.some(({ state }) => state === 'sending')) void send(next);
  }, [rows, send]);
  const isSending = rows.some(({ state }) => state !== 'failed');
  useAskBeforeLeaving(isSending);
  useEffect(() => {
    const open = stops.current;
    return () => {
      for (const stop of open.values()) stop.abort();
    };
  }, []);
  return useMemo(
    () => ({
      rows,
      add: (files) =>
        setRows((before) => [
          ...before,
          ...files.map((file) => ({ key: ++last.current, file, state: 'waiting' as const, sent: 0, error: null })),
        ]),
      remove(key) {
        stops.current.get(key)?.abort();
        setRows((before) => before.filter((one) => one.key !== key));
      },
      again: (key) => change(key, { state: 'waiting', sent: 0, error: null }),
    }),
    [rows, change],
  );
}
