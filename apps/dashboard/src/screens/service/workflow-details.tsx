import type { WorkflowDetails as Details, WorkflowProblem } from '@kethub/contract';
import { Select } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { applicationsQuery } from '../../data/application-queries.ts';
import { useMay } from '../../data/context.tsx';
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
      {services.some(({ applicationId }) => applicationId === null) && state !== 'RETIRED' && (
        <Caller version={version} present={details.applicationId} />
      )}
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
  const set = useMutation({
    mutationFn: (applicationId: string | null) =>
      acting.platform.setWorkflowApplication({ serviceId, version, json: { applicationId } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] }),
  });
  if (!mayChange)
    return (
      <p className="quiet" style={{ margin: 0 }}>
        Calls services as {rows.find(({ id }) => id === present)?.name ?? 'no application'}.
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
        value={set.isPending ? set.variables : present}
        onChange={(id) => set.mutate(id)}
        style={{ maxWidth: 420 }}
      />
      {set.error && <Problem error={set.error} />}
    </>
  );
}
