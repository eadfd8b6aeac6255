import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sharedServicesQuery } from '../../data/application-queries.ts';
import { useActing } from '../../data/context.tsx';
import { useNames } from '../../data/use-names.ts';
import { More } from '../../look/more.tsx';
import { Ket, PageHead, TableHead, Time } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { typeInWords } from '../services/service-list.tsx';

/** Services that others have shared with the person or the organization. */
export function SharedServices() {
  useTitle('Shared with you');
  const acting = useActing();
  const services = useInfiniteQuery(sharedServicesQuery(acting));
  const rows = services.data?.pages.flat() ?? [];
  const nameOf = useNames(rows.map(({ owner }) => owner));
  return (
    <>
      <PageHead title={acting.organizationId === null ? 'Shared with you' : `Shared with ${acting.name}`} />
      <div className="stack">
        {services.error && <Problem error={services.error} onRetry={() => void services.refetch()} />}
        {services.isPending && <div className="panel quiet">Loading…</div>}
        {services.isSuccess && rows.length === 0 && (
          <div className="panel empty">
            <p style={{ margin: 0 }}>
              Nothing yet. Whoever owns a service can share it on its page, under Sharing. You then run it here as if it
              were your own; where it is published for that, your applications can subscribe to it.
            </p>
          </div>
        )}
        {rows.length > 0 && (
          <div className="panel flush">
            <table className="list">
              <TableHead columns={['Name', 'From', 'Type', 'Newest version', 'Until']} />
              <tbody>
                {rows.map(({ id, name, owner, type, endDate, versions }) => (
                  <tr key={id}>
                    <td>
                      <Link to={`${acting.base}/shared/${id}`} className="name">
                        <Ket>{name}</Ket>
                      </Link>
                    </td>
                    <td>{nameOf(owner)}</td>
                    <td className="quiet">{typeInWords(type)}</td>
                    <td className="numbers">{versions[0]?.version ?? '–'}</td>
                    <td className="quiet">{endDate === null ? 'no end' : <Time at={endDate} />}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <More of={services} />
      </div>
    </>
  );
}
