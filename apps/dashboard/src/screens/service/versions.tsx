import type { Build } from '@kethub/contract';
import { Button, Modal, Radio } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ComponentProps } from 'react';
import { useMay } from '../../data/context.tsx';
import { buildQuery, isBuilt, serviceQuery, versionsQuery, VERSIONS_OF_SERVICE } from '../../data/queries.ts';
import { Form } from '../../forms/form.tsx';
import { Icon } from '../../look/icons.tsx';
import { More } from '../../look/more.tsx';
import { State, Time } from '../../look/parts.tsx';
import { bytes } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { saveFrom } from '../../viewers/save.ts';
import { LogView } from '../executions/log-view.tsx';
import { DraftButtons } from './draft-buttons.tsx';
import { NewAutomation } from './new-automation.tsx';
import { NewTargetVersion } from './new-target-version.tsx';
import { RetirementButtons } from './retirement-buttons.tsx';
import { UploadSource } from './upload-source.tsx';
import { Automation } from './automation.tsx';
import { useServiceAddress } from './use-service.ts';
import { WorkflowDetails } from './workflow-details.tsx';

interface Version {
  readonly version: string;
  readonly state: string;
  readonly createdAt: string;
  readonly publishedAt?: string | undefined;
  readonly visibility?: string | undefined;
  readonly sourceBytes?: number | undefined;
  readonly retirement?: { readonly sunset: string } | undefined;
  readonly workflow?: ComponentProps<typeof WorkflowDetails>['details'] | undefined;
  readonly build?: Pick<Build, 'status' | 'problem'> | undefined;
  readonly apiSpecification?: string | undefined;
  readonly configuration?: object | undefined;
  readonly target?: object | undefined;
}

/** The versions of a service, newest first, the newest with its build as it goes on. */
export function Versions() {
  const { acting, serviceId } = useServiceAddress();
  const service = useQuery(serviceQuery(acting, serviceId));
  const mayChange = useMay('service:change');
  const mayAutomate = useMay('service:automate');
  const [isAdding, setAdding] = useState(false);
  const [isAutomating, setAutomating] = useState(false);
  const newest = service.data?.versions ?? [];
  // The service has its newest versions only.
  const every = useInfiniteQuery({
    ...versionsQuery(acting, serviceId),
    enabled: newest.length >= VERSIONS_OF_SERVICE,
  });
  if (!service.data) return null;
  const { type, isAutomated } = service.data;
  const older = every.data?.pages.flatMap(({ rows }) => rows).slice(newest.length) ?? [];
  const versions: readonly Version[] = [...newest, ...older];
  return (
    <div className="stack">
      {mayChange && type !== 'ON_PREMISE' && (
        <div className="row">
          <Button variant="default" leftSection={<Icon name="upload" size={15} />} onClick={() => setAdding(true)}>
            Upload new source
          </Button>
          {mayAutomate && type === 'MANAGED' && isAutomated === false && (
            <Button variant="default" onClick={() => setAutomating(true)}>
              Make versions of pushes
            </Button>
          )}
        </div>
      )}
      {mayChange && type === 'ON_PREMISE' && versions[0]?.state !== 'DRAFT' && (
        <div>
          <Button variant="default" leftSection={<Icon name="plus" size={15} />} onClick={() => setAdding(true)}>
            New version
          </Button>
        </div>
      )}
      {isAutomated && <Automation />}
      {versions.map((version, index) => (
        <OneVersion key={version.version} version={version} isFirst={index === 0} isOnly={versions.length === 1} />
      ))}
      <More of={every} />
      {isAutomating && <NewAutomation onClose={() => setAutomating(false)} />}
      {isAdding && type === 'ON_PREMISE' && <NewTargetVersion onClose={() => setAdding(false)} />}
      {isAdding && type !== 'ON_PREMISE' && (
        <UploadSource
          draft={versions[0]?.state === 'DRAFT' ? versions[0].version : null}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  );
}

function OneVersion({
  version,
  isFirst,
  isOnly,
}: {
  readonly version: Version;
  readonly isFirst: boolean;
  readonly isOnly: boolean;
}) {
  const { acting, serviceId, at } = useServiceAddress();
  const queries = useQueryClient();
  const { version: number } = version;
  const [isLogShown, setLogShown] = useState(isFirst && version.build?.status !== 'SUCCEEDED');
  const build = useQuery({
    ...buildQuery(acting, serviceId, number),
    // The list has what is known of a build that has ended.
    enabled: version.build !== undefined && (isFirst || isLogShown || !isBuilt(version.build)),
    ...(version.build && !isBuilt(version.build) ? {} : { staleTime: 10_000 }),
  });
  const status = build.data?.status ?? version.build?.status;
  const problem = build.data?.problem ?? version.build?.problem;
  const [isPublishing, setPublishing] = useState(false);
  const mayPublish = useMay('service:publish');
  const mayRun = useMay('execution:start');
  const known = version.build?.status;
  useEffect(() => {
    // The build has ended since the service was read: its parameters are known now.
    if (status !== undefined && status !== known)
      void queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId], exact: true });
  }, [status, known, queries, acting.base, serviceId]);
  const isReady = status === undefined ? !version.workflow?.problems.length : status === 'SUCCEEDED';
  return (
    <section className="panel stack" aria-label={`Version ${number}`}>
      <div className="row apart">
        <div className="row">
          <h2 className="numbers">{number}</h2>
          <State of={version.state} />
          {status !== undefined && status !== 'SUCCEEDED' && <State of={status} prefix="Build" />}
          <span className="quiet small">
            {version.publishedAt === undefined ? (
              <>
                uploaded <Time at={version.createdAt} />
              </>
            ) : (
              <>
                published <Time at={version.publishedAt} />
                {version.visibility === 'INTERNAL'
                  ? ', applications can subscribe'
                  : ', for shares and the marketplace'}
              </>
            )}
            {version.sourceBytes !== undefined && `, ${bytes(version.sourceBytes)}`}
          </span>
        </div>
        <div className="row">
          {mayRun &&
            isReady &&
            version.target === undefined &&
            (!version.workflow || version.state === 'PUBLISHED') && (
              <Button
                size="xs"
                variant="default"
                renderRoot={(props) => <Link to={`${at}/run`} search={{ version: number }} {...props} />}
              >
                Run
              </Button>
            )}
          {(version.configuration ?? version.target) !== undefined && (
            <Button
              size="xs"
              variant="default"
              renderRoot={(props) => <Link to={`${at}/versions/${number}`} {...props} />}
            >
              Configuration
            </Button>
          )}
          {version.sourceBytes !== undefined && (
            <Button
              size="xs"
              variant="default"
              renderRoot={(props) => <Link to={`${at}/versions/${number}/source`} {...props} />}
            >
              Source
            </Button>
          )}
          {version.apiSpecification !== undefined && (
            <Button
              size="xs"
              variant="default"
              renderRoot={(props) => <Link to={`${at}/versions/${number}/specification`} {...props} />}
            >
              API specification
            </Button>
          )}
          {version.build && (
            <Button size="xs" variant="default" aria-expanded={isLogShown} onClick={() => setLogShown(!isLogShown)}>
              {isLogShown ? 'Hide the build log' : 'Build log'}
            </Button>
          )}
          {version.state === 'DRAFT' && <DraftButtons version={number} status={status} isOnly={isOnly} />}
          {version.state === 'PUBLISHED' && <RetirementButtons version={number} sunset={version.retirement?.sunset} />}
          {mayPublish && version.state === 'DRAFT' && isReady && (
            <Button size="xs" onClick={() => setPublishing(true)}>
              Publish
            </Button>
          )}
        </div>
      </div>
      {version.retirement && (
        <p className="quiet" style={{ margin: 0 }}>
          Cannot be started any more from {version.retirement.sunset} UTC on (<Time at={version.retirement.sunset} />
          ).
        </p>
      )}
      {problem && (
        <div className="panel" role="alert" style={{ borderLeft: '3px solid var(--failed)' }}>
          <strong>{problem.title}</strong>
          <div style={{ whiteSpace: 'pre-wrap' }}>{problem.detail}</div>
        </div>
      )}
      {version.workflow && <WorkflowDetails version={number} state={version.state} details={version.workflow} />}
      {isLogShown && build.data && (
        <LogView
          id={build.data.id}
          name={`build-${number}`}
          follow={(options) => acting.platform.followBuildLog({ serviceId, version: number, ...options })}
          download={async () =>
            saveFrom(await acting.platform.createBuildLogTicket({ serviceId, version: number }), `build-${number}.log`)
          }
        />
      )}
      {isPublishing && <Publish version={number} onClose={() => setPublishing(false)} />}
    </section>
  );
}

function Publish({ version, onClose }: { readonly version: string; readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const [visibility, setVisibility] = useState<'INTERNAL' | 'SHARED'>('INTERNAL');
  const publish = useMutation({
    mutationFn: () => acting.platform.publishServiceVersion({ serviceId, version, json: { visibility } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [acting.base] });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Publish ${version}`} lockScroll={false}>
      <Form className="stack" request={publish} onSubmit={() => publish.mutate()}>
        <p style={{ margin: 0 }}>A published version never changes any more. What comes next is a new version.</p>
        <Radio.Group
          label="Who can use it"
          value={visibility}
          onChange={(value) => setVisibility(value === 'SHARED' ? 'SHARED' : 'INTERNAL')}
        >
          <div className="stack" style={{ marginTop: 8 }}>
            <Radio
              value="INTERNAL"
              label="Applications of yours"
              description="It gets an address at the gateway. Those with whom it is shared can use it as well."
            />
            <Radio
              value="SHARED"
              label="Only those with whom it is shared, as a job"
              description="No application subscribes to it directly. It may be offered in the marketplace."
            />
          </div>
        </Radio.Group>
        {publish.error && <Problem error={publish.error} />}
        <Button type="submit" loading={publish.isPending}>
          Publish
        </Button>
      </Form>
    </Modal>
  );
}
