import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { useActing } from '../../data/context.tsx';
import { Problem } from '../../shell/problem.tsx';
import { saveFrom } from '../../viewers/save.ts';

/** Pictures that a browser shows. Of an SVG in an image element no script runs. */
const PICTURES: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};
/** Bytes of a picture that are loaded to show it. */
const LARGEST_PICTURE = 20 * 1024 * 1024;

/** The files beside a result: pictures are shown, all can be downloaded. */
export function Files({
  executionId,
  names,
  ended,
}: {
  readonly executionId: string;
  readonly names: readonly string[];
  readonly ended: boolean;
}) {
  if (names.length === 0)
    return (
      <p className="quiet">
        {ended ? 'It has left no files.' : 'Files appear when it has ended.'} Code writes them into{' '}
        <code>/var/runtime/output</code>.
      </p>
    );
  return (
    <div className="stack">
      {names.map((name) => (
        <OneFile key={name} executionId={executionId} name={name} />
      ))}
    </div>
  );
}

/** Pictures that are shown beside a result; all files have a tab of their own. */
const SHOWN = 3;

/** The first pictures among the files of an execution. */
export function Pictures({ executionId, names }: { readonly executionId: string; readonly names: readonly string[] }) {
  return names
    .flatMap((name) => {
      const media = mediaOf(name);
      return media === undefined ? [] : [<Picture key={name} executionId={executionId} name={name} media={media} />];
    })
    .slice(0, SHOWN);
}

function mediaOf(name: string): string | undefined {
  return PICTURES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
}

function OneFile({ executionId, name }: { readonly executionId: string; readonly name: string }) {
  const { platform } = useActing();
  const download = useMutation({
    mutationFn: async () => saveFrom(await platform.createResultFileTicket({ executionId, file: name }), name),
  });
  const media = mediaOf(name);
  return (
    <section aria-label={name} className="stack" style={{ gap: 8 }}>
      <div className="row apart">
        <h3 className="mono">{name}</h3>
        <Button size="compact-xs" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          Download
        </Button>
      </div>
      {download.error && <Problem error={download.error} />}
      {media !== undefined && <Picture executionId={executionId} name={name} media={media} />}
    </section>
  );
}

function Picture({
  executionId,
  name,
  media,
}: {
  readonly executionId: string;
  readonly name: string;
  readonly media: string;
}) {
  const { base, platform } = useActing();
  const content = useQuery({
    queryKey: [base, 'execution', executionId, 'picture', name],
    staleTime: Infinity,
    async queryFn({ signal }) {
      const response = await platform.getOwnedResultFile({ executionId, file: name, signal });
      if (Number(response.headers.get('content-length') ?? 0) > LARGEST_PICTURE) {
        await response.body?.cancel();
        return null;
      }
      return new Blob([await response.arrayBuffer()], { type: media });
    },
  });
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!content.data) return undefined;
    const made = URL.createObjectURL(content.data);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content.data]);
  if (isMissing(content)) return <Problem error={content.error} />;
  if (content.data === null) return <p className="quiet">This picture is too large to be shown. Download it.</p>;
  return address === null ? <p className="quiet">Loading…</p> : <img className="picture" src={address} alt={name} />;
}
