import type { ServiceVersion } from '@kethub/contract';
import { Button, Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { versionFormQuery } from '../../data/queries.ts';
import { ifMatch, tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { Form } from '../../forms/form.tsx';
import { bytes } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { SourceDrop } from '../services/source-drop.tsx';
import type { Source } from '../services/source-files.ts';
import { UploadProgress, useSourceUpload } from '../services/source-upload.tsx';
import { useServiceAddress } from './use-service.ts';

/** Takes new source: into the draft where there is one, else as the next version. */
export function UploadSource({ draft, onClose }: { readonly draft: string | null; readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const [source, setSource] = useState<Source | null>(null);
  // A source that somebody else has uploaded since then is not overwritten.
  const seen = useQuery({
    ...versionFormQuery(acting, 'source', serviceId, draft ?? ''),
    enabled: draft !== null,
  });
  const over = useRef<string | null>(null);
  const upload = useSourceUpload({
    about: draft ?? '',
    send: async (platform, { file, isWorkflow }, { headers, signal }) => {
      const body = new Blob([file], { type: isWorkflow ? 'application/xml' : 'application/zip' });
      if (draft === null) await platform.addServiceVersion({ serviceId, body, headers, signal });
      else {
        const match = ifMatch(over.current ?? seen.data?.etag);
        await platform.replaceSource({ serviceId, version: draft, body, headers: match, signal });
      }
    },
    async onSent() {
      await queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Upload new source" size="lg" lockScroll={false}>
      <Form
        className="stack"
        request={upload}
        below={<UploadProgress upload={upload} />}
        onSubmit={() => {
          if (source) upload.start(source);
        }}
      >
        <p style={{ margin: 0 }}>
          {draft === null ? 'It becomes the next version, a draft.' : `It replaces the source of the draft ${draft}.`}
        </p>
        <SourceDrop source={source} onSource={setSource} />
        {seen.error && <Problem error={seen.error} onRetry={() => void seen.refetch()} />}
        {upload.error !== null && !isStale(upload.error) && <Problem error={upload.error} />}
        <Conflict
          error={upload.error}
          read={() =>
            tagged<ServiceVersion>(acting.platform.getServiceVersion.response({ serviceId, version: draft ?? '' }))
          }
          compare={({ value }) => [
            {
              label: 'Source',
              mine: source === null ? '' : `${source.file.name}, ${bytes(source.file.size)}`,
              theirs: `${bytes(value.sourceBytes ?? 0)}, SHA-256 ${value.sourceDigest?.slice(0, 12) ?? 'unknown'}…`,
            },
          ]}
          onMine={(theirs) => {
            over.current = theirs.etag;
            if (source) upload.start(source);
          }}
          onTheirs={() => {
            void queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] });
            onClose();
          }}
        />
        {!isStale(upload.error) && (
          <Button type="submit" disabled={source === null || (draft !== null && !seen.data)} loading={upload.isPending}>
            Upload and build
          </Button>
        )}
      </Form>
    </Modal>
  );
}
