import type { DataPoolFile, MemberRole } from '@kethub/contract';
import { Button, Progress } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import { poolFilesQuery } from '../../data/data-pool-queries.ts';
import { Icon } from '../../look/icons.tsx';
import { More } from '../../look/more.tsx';
import { TableHead, Time } from '../../look/parts.tsx';
import { bytes } from '../../look/time.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { saveFrom } from '../../viewers/save.ts';
import { useDataPoolAddress } from './use-data-pool.ts';
import { useUploads, type Upload, type Uploads } from './use-uploads.ts';

/** The files of a data pool. Files that are dropped here are uploaded. */
export function PoolFiles({ role }: { readonly role: MemberRole }) {
  const { acting, dataPoolId } = useDataPoolAddress();
  const files = useInfiniteQuery(poolFilesQuery(acting, dataPoolId));
  const uploads = useUploads();
  const [deleting, setDeleting] = useState<DataPoolFile | null>(null);
  const rows = files.data?.pages.flat() ?? [];
  const mayWrite = isEnough(role, 'data-pool-file:write');
  return (
    <section className="panel flush" aria-labelledby="files">
      <div className="panel-head">
        <h2 id="files">Files</h2>
      </div>
      {mayWrite && <Drop onFiles={uploads.add} />}
      <Sending uploads={uploads} />
      {files.error && <Problem error={files.error} onRetry={() => void files.refetch()} />}
      {files.isPending && <p className="quiet panel-text">Loading…</p>}
      {files.isSuccess && rows.length === 0 && (
        <p className="quiet panel-text">
          No file yet.{' '}
          {mayWrite ? 'A file of the same name replaces the one before it.' : 'Its maintainers upload files.'}
        </p>
      )}
      {rows.length > 0 && (
        <table className="list">
          <TableHead columns={['Name', 'Size', 'Changed']} spoken="Actions" />
          <tbody>
            {rows.map((file) => (
              <FileRow
                key={file.id}
                file={file}
                mayDelete={isEnough(role, 'data-pool-file:delete')}
                onDelete={() => setDeleting(file)}
              />
            ))}
          </tbody>
        </table>
      )}
      <More of={files} />
      {deleting && <Deletion file={deleting} onClose={() => setDeleting(null)} />}
    </section>
  );
}

function Drop({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div
      className={isOver ? 'drop over' : 'drop'}
      style={{ margin: '0 12px 12px', padding: 16 }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        // A folder has neither type nor content that could be sent.
        const items = [...event.dataTransfer.items].filter((item) => item.webkitGetAsEntry()?.isFile === true);
        onFiles(items.flatMap((item) => item.getAsFile() ?? []));
      }}
    >
      <div className="row">
        <span>Drop files here, up to 5 GB each, or</span>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="upload" size={14} />}
          onClick={() => input.current?.click()}
        >
          Choose files
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

function Sending({ uploads }: { readonly uploads: Uploads }) {
  if (uploads.rows.length === 0) return null;
  return (
    <ul className="uploads" aria-label="Uploads">
      {uploads.rows.map((row) => (
        <li key={row.key}>
          <div className="row apart">
            <span>
              <strong>{row.file.name}</strong> <span className="quiet numbers">{progressInWords(row)}</span>
            </span>
            <span className="row">
              {row.state === 'failed' && (
                <Button size="compact-xs" variant="default" onClick={() => uploads.again(row.key)}>
                  Try again
                </Button>
              )}
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`${row.state === 'failed' ? 'Dismiss' : 'Stop'} ${row.file.name}`}
                onClick={() => uploads.remove(row.key)}
              >
                {row.state === 'failed' ? 'Dismiss' : 'Stop'}
              </Button>
            </span>
          </div>
          {row.state === 'failed' ? (
            <Problem error={row.error} />
          ) : (
            <Progress
              aria-label={`Upload of ${row.file.name}`}
              size="sm"
              value={row.file.size === 0 ? 100 : (100 * row.sent) / row.file.size}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function progressInWords({ state, sent, file }: Upload): string {
  if (state === 'waiting') return `${bytes(file.size)}, waits for the one before it`;
  if (state === 'failed') return 'was not uploaded';
  return sent >= file.size ? 'sent, is being stored' : `${bytes(sent)} of ${bytes(file.size)}`;
}

function FileRow({
  file,
  mayDelete,
  onDelete,
}: {
  readonly file: DataPoolFile;
  readonly mayDelete: boolean;
  readonly onDelete: () => void;
}) {
  const { acting, dataPoolId } = useDataPoolAddress();
  const download = useMutation({
    async mutationFn() {
      saveFrom(await acting.platform.createDataPoolFileTicket({ dataPoolId, name: file.name }), file.name);
    },
  });
  return (
    <tr>
      <td>
        <strong>{file.name}</strong>
        {download.error && <Problem error={download.error} />}
      </td>
      <td className="numbers">{bytes(file.bytes)}</td>
      <td className="quiet">
        <Time at={file.updatedAt} />
      </td>
      <td>
        <span className="row">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Download ${file.name}`}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            Download
          </Button>
          {mayDelete && (
            <Button size="compact-xs" variant="default" aria-label={`Delete ${file.name}`} onClick={onDelete}>
              Delete
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

function Deletion({ file, onClose }: { readonly file: DataPoolFile; readonly onClose: () => void }) {
  const { acting, dataPoolId } = useDataPoolAddress();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => acting.platform.deleteDataPoolFile({ dataPoolId, name: file.name }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [acting.base, 'data-pool', dataPoolId] });
      onClose();
    },
  });
  return (
    <Confirm title={`Delete ${file.name}?`} action="Delete" request={remove} onClose={onClose}>
      Executions that have started keep the file. Nothing brings it back into the pool.
    </Confirm>
  );
}
