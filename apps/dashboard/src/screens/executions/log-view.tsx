import type { FollowedEntry, FollowOptions } from '@kethub/client';
import { Button, Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { claimFollowing } from '../../data/long-requests.ts';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';

/** Lines are put on the page together after this many milliseconds. */
const COLLECT_MS = 80;
const LINE_HEIGHT = 20;

type Line = FollowedEntry['entry'];
export type FollowLog = (options: FollowOptions) => AsyncGenerator<FollowedEntry, void>;

/** A log as it grows. `id` names what it is of; `follow` reads it to its end. Only the lines in view are in the page. */
export function LogView({
  id,
  follow,
  name,
  download,
}: {
  readonly id: string;
  readonly follow: FollowLog;
  readonly name: string;
  /** Has the browser download the whole log; without it the lines on the page are saved. */
  readonly download?: () => Promise<void>;
}) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [isEnded, setEnded] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [follows, setFollows] = useState(true);
  const [wanted, setWanted] = useState('');
  const [attempt, setAttempt] = useState(0);
  const reader = useRef(follow);
  reader.current = follow;

  useEffect(() => {
    const end = new AbortController();
    let collected: Line[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      timer = undefined;
      const added = collected;
      collected = [];
      if (!end.signal.aborted) setLines((known) => [...known, ...added]);
    };
    setLines([]);
    setEnded(false);
    setError(null);
    let lastEventId: string | undefined;
    /** Reads on after the last line, as long as the page is in view. Returns whether the log has ended. */
    const read = async (): Promise<boolean> => {
      const connection = await claimFollowing(end.signal);
      try {
        for await (const { id: position, entry } of reader.current({ signal: connection.signal, lastEventId })) {
          lastEventId = position ?? lastEventId;
          collected.push(entry);
          timer ??= setTimeout(flush, COLLECT_MS);
        }
        return true;
      } catch (failure) {
        if (connection.signal.aborted) return false;
        throw failure;
      } finally {
        connection.release();
      }
    };
    const readAll = async (): Promise<void> => {
      while (!end.signal.aborted && !(await read()));
      setEnded(true);
    };
    readAll().catch((failure: unknown) => {
      if (!end.signal.aborted) setError(failure);
    });
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [id, attempt]);

  const shown = useMemo(
    () => (wanted === '' ? lines : lines.filter(({ message }) => message.toLowerCase().includes(wanted.toLowerCase()))),
    [lines, wanted],
  );
  const box = useRef<HTMLDivElement>(null);
  const view = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  useEffect(() => {
    if (follows && shown.length > 0) view.scrollToIndex(shown.length - 1, { align: 'end' });
  }, [follows, shown.length, view]);

  const saving = useMutation({
    mutationFn: async () => (download ? download() : save(new Blob([text()], { type: 'text/plain' }), `${name}.log`)),
  });
  const text = (): string => lines.map(({ timestamp, message }) => `${timestamp} ${message}\n`).join('');
  return (
    <div className="stack" style={{ gap: 8 }}>
      <div className="row apart">
        <TextInput
          size="xs"
          aria-label="Search the log"
          placeholder="Search"
          maxLength={1_000}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
        <div className="row">
          <Switch
            size="xs"
            label="Follow"
            checked={follows}
            onChange={(event) => setFollows(event.currentTarget.checked)}
          />
          <Button
            size="compact-xs"
            variant="default"
            disabled={lines.length === 0}
            loading={saving.isPending}
            onClick={() => saving.mutate()}
          >
            Download
          </Button>
        </div>
      </div>
      {saving.error && <Problem error={saving.error} />}
      {error !== null && <Problem error={error} onRetry={() => setAttempt(attempt + 1)} />}
      <div
        ref={box}
        className="log"
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Log"
        onWheel={({ deltaY }) => {
          if (deltaY < 0) setFollows(false);
        }}
      >
        <div style={{ height: view.getTotalSize(), position: 'relative' }}>
          {view.getVirtualItems().map(({ index, start, key }) => {
            const line = shown[index];
            return (
              line && (
                <div
                  key={key}
                  ref={view.measureElement}
                  data-index={index}
                  className={`line ${line.severity}`}
                  style={{ position: 'absolute', top: 0, left: 0, right: 0, transform: `translateY(${start}px)` }}
                >
                  <time title={line.timestamp}>{line.timestamp.slice(11, 23)}</time>
                  <span>{line.message}</span>
                </div>
              )
            );
          })}
        </div>
      </div>
      <span className="small quiet numbers" role="status">
        {shown.length === lines.length ? lines.length : `${shown.length} of ${lines.length}`} lines
        {isEnded ? (lines.length === 0 ? ': nothing was written.' : ', complete.') : ' so far …'}
      </span>
    </div>
  );
}
