import type { ServiceVersion, WorkflowDetails as Details, WorkflowProblem } from '@kethub/contract';
import { Select } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { applicationsQuery } from '../../data/application-queries.ts';
import { useMay } from '../../data/context.tsx';
import { ifMatch, tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { useEveryPage } from '../../look/more.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useServiceAddress } from './use-service.ts';

/** Findings of the platform in the file of a workflow, and the application as which its tasks call. */
export function WorkflowDetails({
  version,
  state,
  details,
}: {
  readonly version: string;
  readonly state: string;
  readonly details: Details;
}) {
  const { problems, warnings, services, messages } = details;
  return (
    <div className="stack">
      <Problems title="Not deployable yet" color="--failed" problems={problems} />
      <Problems title="Probably not meant" color="--waiting" problems={warnings} />
      {(services.length > 0 || messages.length > 0) && (
        <dl className="facts">
          {services.length > 0 && (
            <>
              <dt>Calls</dt>
              <dd>{services.map(({ elementId }) => elementId).join(', ')}</dd>
            </>
          )}
          {messages.length > 0 && (
            <>
              <dt>Messages</dt>
              <dd>{messages.map(({ name, starts }) => (starts ? `${name} (starts it)` : name)).join(', ')}</dd>
            </>
          )}
        </dl>
      )}
      {/* A task that names no application has that of the version, once there is one. */}
      {services.some((one) => one.applicationId === null || one.applicationId === details.applicationId) &&
        state !== 'RETIRED' && <Caller version={version} present={details.applicationId} />}
    </div>
  );
}

function Problems({
  title,
  color,
  problems,
}: {
  readonly title: string;
  readonly color: string;
  readonly problems: readonly WorkflowProblem[];
}) {
  if (problems.length === 0) return null;
  return (
    <div className="panel" style={{ borderLeft: `3px solid var(${color})` }}>
      <strong>{title}</strong>
      <ul style={{ margin: 0 }}>
        {problems.map(({ elementId, code, message, expression }) => (
          <li key={`${elementId} ${code} ${message}`}>
            {elementId !== null && <strong>{elementId}: </strong>}
            {message} {expression !== undefined && <code>{expression}</code>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The application as which tasks call services that name none themselves. */
function Caller({ version, present }: { readonly version: string; readonly present: string | null }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const mayChange = useMay('service:change');
  const applications = useInfiniteQuery(applicationsQuery(acting));
  useEveryPage(applications);
  const rows = applications.data?.pages.flat() ?? [];
  // Value and tag of one answer: a choice that somebody else has made since it was shown is not overwritten.
  const known = useQuery({
    queryKey: [acting.base, 'service', serviceId, 'application-of', version],
    queryFn: ({ signal }) =>
      tagged<ServiceVersion>(acting.platform.getServiceVersion.response({ serviceId, version, signal })),
    enabled: mayChange,
  });
  const shown = known.data ? (known.data.value.workflow?.applicationId ?? null) : present;
  /** Tag of what the person saw when they opened the list of applications. */
  const opened = useRef<string | null>(null);
  const nameOf = (id: string | null | undefined): string => rows.find((one) => one.id === id)?.name ?? '';
  const renew = () => queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] });
  const set = useMutation({
    mutationFn: ({ applicationId, etag }: { readonly applicationId: string | null; readonly etag: string | null }) =>
      acting.platform.setWorkflowApplication({ serviceId, version, json: { applicationId }, headers: ifMatch(etag) }),
    onSuccess: renew,
  });
  const mine = set.variables?.applicationId ?? null;
  if (!mayChange)
    return (
      <p className="quiet" style={{ margin: 0 }}>
        Calls services as {nameOf(present) || 'no application'}.
      </p>
    );
  return (
    <>
      <Select
        label={`Application of ${version}`}
        description={
          <>
            Its tasks call services as this application, which has to be subscribed to them. See{' '}
            <Link to={`${acting.base}/applications`}>applications</Link>.
          </>
        }
        placeholder="None"
        clearable
        openOnFocus={false}
        data={rows.map(({ id, name }) => ({ value: id, label: name }))}
        disabled={known.isPending || isStale(set.error)}
        value={set.isPending || isStale(set.error) ? mine : shown}
        onDropdownOpen={() => {
          opened.current = known.data?.etag ?? null;
        }}
        onChange={(applicationId) => {
          // The button that clears the choice opens no list.
          set.mutate({ applicationId, etag: (applicationId === null ? known.data?.etag : opened.current) ?? null });
        }}
        style={{ maxWidth: 420 }}
      />
      {set.error && !isStale(set.error) && <Problem error={set.error} />}
      <Conflict
        error={set.error}
        read={() => tagged<ServiceVersion>(acting.platform.getServiceVersion.response({ serviceId, version }))}
        compare={({ value }) => [
          { label: 'Application', mine: nameOf(mine), theirs: nameOf(value.workflow?.applicationId) },
        ]}
        onMine={({ etag }) => set.mutate({ applicationId: mine, etag })}
        onTheirs={() => {
          set.reset();
          void renew();
        }}
      />
    </>
  );
}
