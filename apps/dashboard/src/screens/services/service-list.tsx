import type { Service } from '@kethub/contract';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useActing, useMay } from '../../data/context.tsx';
import { Code, Ket, State, TableHead, Time } from '../../look/parts.tsx';

const TYPES: Readonly<Record<string, string>> = {
  MANAGED: 'Runs here',
  ON_PREMISE: 'Runs elsewhere',
  WORKFLOW: 'Workflow',
};

export type ServiceRow = Pick<Service, 'id' | 'name' | 'type' | 'createdAt'> & {
  readonly versions: readonly {
    readonly version: string;
    readonly state: string;
    readonly build?: { readonly status: string } | undefined;
  }[];
};

export function typeInWords(type: string): string {
  return TYPES[type] ?? type;
}

/** Services as a list, each with its newest version. */
export function ServiceList({
  rows,
  isLoading,
}: {
  readonly rows: readonly ServiceRow[];
  readonly isLoading: boolean;
}) {
  const { base } = useActing();
  if (isLoading) return <div className="panel quiet">Loading…</div>;
  if (rows.length === 0) return <NoServices />;
  return (
    <div className="panel flush">
      <table className="list">
        <TableHead columns={['Name', 'Type', 'Newest version', 'State', 'Created']} />
        <tbody>
          {rows.map(({ id, name, type, createdAt, versions: [newest] }) => (
            <tr key={id}>
              <td>
                <Link to={`${base}/services/${id}`} className="name">
                  <Ket>{name}</Ket>
                </Link>
              </td>
              <td className="quiet">{typeInWords(type)}</td>
              <td className="numbers">{newest?.version ?? '–'}</td>
              <td>{newest && <VersionState version={newest} />}</td>
              <td className="quiet">
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** State of a version; of a draft that is not built, the state of its build. */
export function VersionState({ version }: { readonly version: ServiceRow['versions'][number] }) {
  const { state, build } = version;
  if (state === 'DRAFT' && build && build.status !== 'SUCCEEDED') return <State of={build.status} prefix="Build" />;
  return <State of={state} />;
}

function NoServices() {
  const { base } = useActing();
  const mayCreate = useMay('service:create');
  return (
    <div className="panel empty">
      <p style={{ margin: 0 }}>
        A service is a folder of Python code with a function <code>run</code>. Kethub builds it and runs it for whoever
        calls it.
      </p>
      {mayCreate && (
        <Button renderRoot={(props) => <Link to={`${base}/services/new`} {...props} />}>New service</Button>
      )}
      <p className="quiet small" style={{ margin: 0 }}>
        The same from a shell:
      </p>
      <div style={{ width: '100%' }}>
        <Code
          label="Commands"
          text={`npm run ket -- login ${location.origin}\nnpm run ket -- init my-service\nnpm run ket -- up my-service`}
        />
      </div>
    </div>
  );
}
