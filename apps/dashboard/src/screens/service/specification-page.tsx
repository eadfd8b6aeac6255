import { KethubError } from '@kethub/client';
import type { ServiceVersion } from '@kethub/contract';
import { Button, FileButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { isMissing } from '../../data/form-query.ts';
import { versionQuery } from '../../data/queries.ts';
import { inLines, readSpecification, SHOWN_BYTES, specificationQuery } from '../../data/source-queries.ts';
import { ifMatch, type Tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { State } from '../../look/parts.tsx';
import { bytes } from '../../look/time.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';
import { useServiceAddress } from './use-service.ts';

/** Bytes of a document that the platform accepts. */
const MOST_BYTES = 512 * 1024;
/** Complaints about a document that are listed. */
const SHOWN_COMPLAINTS = 20;

const ORIGINS: Readonly<Record<NonNullable<ServiceVersion['apiSpecification']>, string>> = {
  UPLOADED: 'This document was uploaded.',
  DERIVED: 'Derived from the signature of run(). An uploaded document takes its place.',
  DEFAULT:
    'The default template, because the signature of run() says too little. An uploaded document takes its place.',
};

/** The OpenAPI document of a version: shown, downloaded, and for a draft of a managed service uploaded and taken away. */
export function SpecificationPage() {
  const { acting, serviceId, at } = useServiceAddress();
  const { version = '' } = useParams({ strict: false }) as { version?: string };
  const known = useQuery(versionQuery(acting, serviceId, version));
  const document = useQuery(specificationQuery(acting, serviceId, version));
  const mayChange = useMay('service:change');
  // A new build derives the document anew. An uploaded one is read again by whoever replaces it only.
  const { apiSpecification, build, sourceDigest } = known.data ?? {};
  const isDerived = known.data !== undefined && apiSpecification !== 'UPLOADED';
  const source = isDerived ? `${sourceDigest} ${build?.id} ${build?.status}` : undefined;
  const read = useRef(source);
  const { refetch } = document;
  useEffect(() => {
    if (read.current !== undefined && source !== undefined && read.current !== source) void refetch();
    read.current = source ?? read.current;
  }, [source, refetch]);
  const retry = (): void => void Promise.all([known.refetch(), document.refetch()]);
  if (isMissing(known) || isMissing(document)) return <Problem error={known.error ?? document.error} onRetry={retry} />;
  if (!known.data || !document.data) return <div className="panel quiet">Loading…</div>;
  const { state, apiSpecification: origin = 'DERIVED', configuration } = known.data;
  const { value: text } = document.data;
  return (
    <div className="stack">
      <div className="row apart">
        <div className="row">
          <Link to={`${at}/versions`}>Versions</Link>
          <h2 className="numbers">API specification of {version}</h2>
          <State of={state} />
        </div>
        <Button
          size="xs"
          variant="default"
          onClick={() => save(new Blob([text], { type: 'application/json' }), `${version}-openapi.json`)}
        >
          Download
        </Button>
      </div>
      <p className="quiet" style={{ margin: 0 }}>
        {ORIGINS[origin]} Subscribers read it at <code>openapi.json</code> below the address of the version.
      </p>
      {configuration !== undefined && state === 'DRAFT' && mayChange && (
        <ChangeSpecification version={version} etag={document.data.etag} isUploaded={origin === 'UPLOADED'} />
      )}
      {configuration !== undefined && state !== 'DRAFT' && (
        <p className="quiet" style={{ margin: 0 }}>
          A published version never changes. The next version takes another document while it is a draft.
        </p>
      )}
      <DocumentText label="OpenAPI document" text={text} />
    </div>
  );
}

function DocumentText({ label, text }: { readonly label: string; readonly text: string }) {
  if (text.length > SHOWN_BYTES)
    return <p className="panel quiet">The document is too long to be shown here. Download it to read it.</p>;
  return (
    <pre className="code" tabIndex={0} aria-label={label}>
      {text}
    </pre>
  );
}

/** Uploads a document for a draft, or takes the uploaded one away. */
function ChangeSpecification({
  version,
  etag,
  isUploaded,
}: {
  readonly version: string;
  readonly etag: string | null;
  readonly isUploaded: boolean;
}) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  const renew = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: specificationQuery(acting, serviceId, version).queryKey });
    await queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] });
  };
  const upload = useMutation({
    mutationFn: ({ file, over }: { readonly file: File; readonly over: string | null }) => {
      const type = /\.json$/i.test(file.name) ? 'application/json' : 'application/yaml';
      const body = new Blob([file], { type });
      return acting.platform.uploadApiSpecification({ serviceId, version, body, headers: ifMatch(over) });
    },
    onSuccess: renew,
  });
  const remove = useMutation({
    mutationFn: () => acting.platform.deleteApiSpecification({ serviceId, version, headers: ifMatch(etag) }),
    async onSuccess() {
      await renew();
      setRemoving(false);
    },
  });
  const take = (file: File | null): void => {
    if (!file) return;
    setTooLarge(file.size > MOST_BYTES ? file.name : null);
    upload.reset();
    if (file.size <= MOST_BYTES) upload.mutate({ file, over: etag });
  };
  return (
    <section className="stack" aria-label="Change the document">
      <div className="row">
        <FileButton accept=".json,.yaml,.yml" onChange={take} inputProps={{ 'aria-label': 'OpenAPI document' }}>
          {(props) => (
            <Button {...props} size="xs" variant="default" loading={upload.isPending}>
              {isUploaded ? 'Replace the document' : 'Upload a document'}
            </Button>
          )}
        </FileButton>
        {isUploaded && (
          <Button size="xs" variant="default" onClick={() => setRemoving(true)} style={{ color: 'var(--failed)' }}>
            Take the document away
          </Button>
        )}
        <span className="quiet small">OpenAPI 3.0 or 3.1 as JSON or YAML, up to {bytes(MOST_BYTES)}.</span>
      </div>
      {upload.isSuccess && (
        <p className="quiet small" role="status" style={{ margin: 0 }}>
          The document is saved.
        </p>
      )}
      {tooLarge !== null && (
        <p className="field-error" role="alert">
          {tooLarge} is larger than {bytes(MOST_BYTES)}. Shorten its descriptions, or leave examples out.
        </p>
      )}
      {!isStale(upload.error) && <Complaints error={upload.error} />}
      <Conflict
        error={upload.error}
        read={() => readSpecification(acting, serviceId, version)}
        onMine={(theirs) => {
          if (upload.variables) upload.mutate({ file: upload.variables.file, over: theirs.etag });
        }}
        onTheirs={() => {
          upload.reset();
          void renew();
        }}
      >
        {(theirs) => upload.variables && <BothDocuments mine={upload.variables.file} theirs={theirs} />}
      </Conflict>
      {isRemoving && (
        <Confirm
          title="Take the document away?"
          action="Take it away"
          request={remove}
          onClose={() => setRemoving(false)}
        >
          The document that is derived from the code takes its place. This one is not kept.
        </Confirm>
      )}
    </section>
  );
}

/** The document of the person and the one that is saved now, side by side. */
function BothDocuments({ mine, theirs }: { readonly mine: File; readonly theirs: Tagged<string> }) {
  const text = useQuery({
    queryKey: ['file', mine.name, mine.size, mine.lastModified],
    queryFn: async () => inLines(await mine.text()),
    gcTime: 0,
  });
  return (
    <div className="split">
      <div className="stack">
        <h3>Yours: {mine.name}</h3>
        <DocumentText label="Your document" text={text.data ?? ''} />
      </div>
      <div className="stack">
        <h3>Saved now</h3>
        <DocumentText label="Document that is saved now" text={theirs.value} />
      </div>
    </div>
  );
}

/** Problem of an upload, with the places in the document that are wrong. */
function Complaints({ error }: { readonly error: unknown }) {
  if (error === null) return null;
  if (!(error instanceof KethubError) || error.errors.length === 0) return <Problem error={error} />;
  const more = error.errors.length - SHOWN_COMPLAINTS;
  return (
    <div className="panel" role="alert" style={{ borderLeft: '3px solid var(--failed)' }}>
      <strong>{error.title}</strong>
      <ul style={{ margin: 0, overflowWrap: 'anywhere' }}>
        {error.errors.slice(0, SHOWN_COMPLAINTS).map(({ pointer, detail }, at) => (
          <li key={at}>
            <code>{pointer === '' ? 'document' : pointer}</code>: {detail}
          </li>
        ))}
      </ul>
      {more > 0 && <div className="quiet">and {more} more</div>}
      <div className="small">
        Nothing was changed. <a href="/api/problems/invalid-api-specification">What a document has to hold</a>
      </div>
    </div>
  );
}
