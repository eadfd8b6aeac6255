import { Button, Progress } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useAskBeforeLeaving } from '../../data/ask-before-leaving.ts';
import { platformFor, type Platform } from '../../data/client.ts';
import { useActing, useSession } from '../../data/context.tsx';
import { fetchWithProgress } from '../../data/fetch-with-progress.ts';
import { bytes } from '../../look/time.ts';
import type { Source } from './source-files.ts';

/** Options of the request of an upload. */
interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface SourceUpload {
  readonly isPending: boolean;
  /** Null also for an upload that the person has stopped. */
  readonly error: unknown;
  /** Bytes that were sent, and all of them. */
  readonly sent: number;
  readonly size: number;
  start(source: Source): void;
  stop(): void;
  reset(): void;
}

/**
 * Uploads a source. The same source and `about` again have the same key, so that a repetition after a lost answer makes
 * nothing twice. Leaving the page stops the upload.
 */
export function useSourceUpload<Answer>({
  about,
  send,
  onSent,
}: {
  /** Everything beside the source that the request says. */
  readonly about: string;
  readonly send: (platform: Platform, source: Source, sending: Sending) => Promise<Answer>;
  readonly onSent: (answer: Answer) => unknown;
}): SourceUpload {
  const { organizationId } = useActing();
  const session = useSession();
  const [sent, setSent] = useState(0);
  const stop = useRef(new AbortController());
  const attempt = useRef<{ readonly source: Source; readonly about: string; readonly key: string } | null>(null);
  const upload = useMutation({
    mutationFn(source: Source) {
      stop.current = new AbortController();
      setSent(0);
      if (attempt.current?.source !== source || attempt.current.about !== about)
        attempt.current = { source, about, key: crypto.randomUUID() };
      const headers = { 'idempotency-key': attempt.current.key };
      const platform = platformFor(session, organizationId, fetchWithProgress(setSent));
      return send(platform, source, { headers, signal: stop.current.signal });
    },
    onSuccess: onSent,
  });
  useAskBeforeLeaving(upload.isPending);
  useEffect(() => () => stop.current.abort(), []);
  const { isPending, error, mutate, reset } = upload;
  return {
    isPending,
    error: stop.current.signal.aborted ? null : error,
    sent,
    size: upload.variables?.file.size ?? 0,
    start: mutate,
    stop: () => stop.current.abort(),
    reset,
  };
}

/** Progress of an upload, and the button that stops it. */
export function UploadProgress({ upload }: { readonly upload: SourceUpload }) {
  const { isPending, sent, size } = upload;
  if (!isPending) return null;
  return (
    <div className="stack" style={{ gap: 4 }}>
      <div className="row apart">
        <span className="quiet numbers">
          {sent >= size ? 'Sent, is being stored' : `${bytes(sent)} of ${bytes(size)}`}
        </span>
        <Button size="compact-xs" variant="default" onClick={upload.stop}>
          Stop
        </Button>
      </div>
      <Progress
        aria-label="Upload of the source"
        size="sm"
        value={size === 0 ? 100 : (100 * Math.min(sent, size)) / size}
      />
    </div>
  );
}
