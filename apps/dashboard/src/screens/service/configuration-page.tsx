import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMay } from '../../data/context.tsx';
import { taggedVersionQuery } from '../../data/queries.ts';
import { State } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { ConfigurationForm } from './configuration-form.tsx';
import { ConfigurationFacts } from './configuration-facts.tsx';
import { ChangeTarget } from './change-target.tsx';
import { useServiceAddress } from './use-service.ts';

/** Configuration of a version: resources, environment and hosts; or the target of an on-premise one. */
export function ConfigurationPage() {
  const { acting, serviceId, at } = useServiceAddress();
  const { version = '' } = useParams({ strict: false }) as { version?: string };
  const known = useQuery(taggedVersionQuery(acting, serviceId, version));
  const mayChange = useMay('service:change');
  if (known.error) return <Problem error={known.error} onRetry={() => void known.refetch()} />;
  if (!known.data) return <div className="panel quiet">Loading…</div>;
  const { etag, value } = known.data;
  const { state, configuration, target } = value;
  return (
    <div className="stack">
      <div className="row">
        <Link to={`${at}/versions`}>Versions</Link>
        <h2 className="numbers">Configuration of {version}</h2>
        <State of={state} />
      </div>
      {configuration &&
        (mayChange && state === 'DRAFT' ? (
          <ConfigurationForm key={etag} version={version} etag={etag} present={configuration} />
        ) : (
          <>
            <p className="quiet" style={{ margin: 0 }}>
              {state === 'DRAFT'
                ? 'Maintainers and owners can change this.'
                : 'A published version never changes. Upload the source again to make a new version with another configuration.'}
            </p>
            <ConfigurationFacts configuration={configuration} />
          </>
        ))}
      {target && (
        <ChangeTarget
          key={etag}
          version={version}
          etag={etag}
          present={target}
          mayChange={mayChange && state !== 'RETIRED'}
        />
      )}
      {!configuration && !target && (
        <div className="panel quiet">A workflow has no configuration: its tasks call services that have one each.</div>
      )}
    </div>
  );
}
