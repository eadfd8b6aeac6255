import type { Service } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { serviceQuery, versionQuery } from '../../data/queries.ts';
import { tagged } from '../../data/tagged.ts';
import { ChangeTexts, NAME_AND_DESCRIPTION } from '../../forms/texts-form.tsx';
import { Transfer } from '../../forms/transfer.tsx';
import { Icon } from '../../look/icons.tsx';
import { CopyButton, Time } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';
import { typeInWords, VersionState } from '../services/service-list.tsx';
import { Parameters } from './parameters.tsx';
import { useServiceAddress } from './use-service.ts';

/** Overview of a service: description, address and parameters. */
export function Overview() {
  const { acting, serviceId, at } = useServiceAddress();
  const service = useQuery(serviceQuery(acting, serviceId));
  const newest = service.data?.versions[0]?.version ?? '';
  const version = useQuery({ ...versionQuery(acting, serviceId, newest), enabled: newest !== '' });
  const mayRun = useMay('execution:start');
  const [isEditing, setEditing] = useState(false);
  const mayChange = useMay('service:change');
  const specification = useMutation({
    async mutationFn() {
      const document = await acting.platform.getApiSpecification({ serviceId, version: newest });
      save(new Blob([JSON.stringify(document, null, 2)], { type: 'application/json' }), `${newest}-openapi.json`);
    },
  });
  if (!service.data) return null;
  const { description, type, slug, createdAt, versions, id } = service.data;
  return (
    <div className="stack">
      <div className="row">
        {mayRun && type !== 'ON_PREMISE' && (
          <Button
            leftSection={<Icon name="run" size={14} />}
            renderRoot={(props) => <Link to={`${at}/run`} {...props} />}
          >
            Run it
          </Button>
        )}
        {mayChange && (
          <Button variant="default" onClick={() => setEditing(true)}>
            Edit name and description
          </Button>
        )}
        {newest !== '' && (
          <Button variant="default" loading={specification.isPending} onClick={() => specification.mutate()}>
            OpenAPI document
          </Button>
        )}
      </div>
      {specification.error && <Problem error={specification.error} />}
      <section className="panel stack" aria-labelledby="about">
        <h2 id="about">About</h2>
        <p style={{ margin: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {description === '' ? <span className="quiet">No description yet.</span> : description}
        </p>
        <dl className="facts">
          <dt>Type</dt>
          <dd>{typeInWords(type)}</dd>
          <dt>Name in addresses</dt>
          <dd className="mono">{slug}</dd>
          <dt>Id</dt>
          <dd className="row">
            <span className="mono">{id}</span> <CopyButton value={id} label="Copy the id" />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
        </dl>
      </section>
      <section className="panel stack" aria-labelledby="addresses">
        <h2 id="addresses">Addresses for applications</h2>
        <p className="quiet" style={{ margin: 0 }}>
          {versions.every(({ endpoint }) => endpoint === undefined) ? (
            <>
              None yet. A version that is <Link to={`${at}/versions`}>published</Link> for applications of yours has an
              address at the gateway.
            </>
          ) : (
            <>
              Subscribe one of your <Link to={`${acting.base}/applications`}>applications</Link>: its page shows the
              commands that call this service.
            </>
          )}
        </p>
        {versions.map(
          (one) =>
            one.endpoint !== undefined && (
              <div key={one.version} className="row">
                <strong className="numbers">{one.version}</strong>
                <VersionState version={one} />
                <code style={{ overflowWrap: 'anywhere' }}>{one.endpoint}</code>
                <CopyButton value={one.endpoint} label={`Copy the address of ${one.version}`} />
              </div>
            ),
        )}
      </section>
      <Parameters title={`Parameters of ${newest}`} parameters={version.data?.parameters ?? []} />
      <DeleteService name={service.data.name} />
      {isEditing && <Edit onClose={() => setEditing(false)} />}
    </div>
  );
}

function Edit({ onClose }: { readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  return (
    <ChangeTexts
      title="Name and description"
      fields={NAME_AND_DESCRIPTION}
      read={() => tagged<Service>(acting.platform.getService.response({ serviceId }))}
      save={({ name, description }, headers) =>
        acting.platform.updateService.response({ serviceId, json: { name: name.trim(), description }, headers })
      }
      onSaved={async () => {
        await queries.invalidateQueries({ queryKey: [acting.base] });
        onClose();
      }}
      onClose={onClose}
    />
  );
}

/** Deletion asks for the name, because nothing brings a service back. */
function DeleteService({ name }: { readonly name: string }) {
  const { acting, serviceId } = useServiceAddress();
  const mayDelete = useMay('service:delete');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const mayGive = useMay('service:transfer');
  const [isAsking, setAsking] = useState(false);
  const [isGiving, setGiving] = useState(false);
  const remove = useMutation({
    mutationFn: () => acting.platform.deleteService({ serviceId }),
    async onSuccess() {
      await navigate({ to: `${acting.base}/services` });
      queries.removeQueries({ queryKey: [acting.base, 'service', serviceId] });
      await queries.invalidateQueries({ queryKey: [acting.base, 'services'] });
    },
  });
  if (!mayDelete) return null;
  return (
    <div className="row">
      {mayGive && (
        <Button variant="default" onClick={() => setGiving(true)}>
          Give the service away
        </Button>
      )}
      <Button variant="default" onClick={() => setAsking(true)} style={{ color: 'var(--failed)' }}>
        Delete the service
      </Button>
      {isGiving && (
        <Transfer
          what={name}
          path={`/services/${serviceId}`}
          give={(to) => acting.platform.transferService({ serviceId, json: to })}
          onClose={() => setGiving(false)}
        />
      )}
      {isAsking && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete"
          name={name}
          request={remove}
          onClose={() => setAsking(false)}
        >
          All versions go with it, and nothing brings them back. Executions that have ended keep their results.
        </Confirm>
      )}
    </div>
  );
}
