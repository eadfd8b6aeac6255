import type { ServiceVersion } from '@kethub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMay } from '../../data/context.tsx';
import { isMissing } from '../../data/form-query.ts';
import { versionFormQuery, versionQuery } from '../../data/queries.ts';
import { State } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { ConfigurationForm } from './configuration-form.tsx';
import { ConfigurationFacts } from './configuration-facts.tsx';
import { ChangeTarget } from './change-target.tsx';
import { TargetFacts } from './target-facts.tsx';
import { useServiceAddress } from './use-service.ts';

/** Configuration of a version: resources, environment and hosts; or the target of an on-premise one. */
export function ConfigurationPage() {
  const { acting, serviceId, at } = useServiceAddress();
  const { version = '' } = useParams({ strict: false }) as { version?: string };
  const begun = useQuery(versionFormQuery(acting, 'configuration', serviceId, version));
  // The form's own reading is what the page knows first, so that the version is asked for once.
  const known = useQuery({
    ...versionQuery(acting, serviceId, version),
    enabled: begun.isSuccess,
    ...(begun.data && { initialData: begun.data.value, initialDataUpdatedAt: begun.dataUpdatedAt }),
  });
  const mayChange = useMay('service:change');
  const failed = [known, begun].find(isMissing);
  if (failed) return <Problem error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!known.data || !begun.data) return <div className="panel quiet">Loading…</div>;
  const { state, configuration, target } = known.data;
  const first = begun.data.value;
  // A form stays where somebody else has published or retired the version meanwhile: what is typed can still be copied.
  const isForm = mayChange && (first.target ? first.state !== 'RETIRED' : first.state === 'DRAFT');
  return (
    <div className="stack">
      <div className="row">
        <Link to={`${at}/versions`}>Versions</Link>
        <h2 className="numbers">Configuration of {version}</h2>
        <State of={state} />
      </div>
      {isForm && first.state !== state && (
        <p role="status" style={{ margin: 0 }}>
          {state === 'RETIRED'
            ? 'This version has been retired in the meantime. What you typed cannot be saved any more.'
            : changedState(first)}
        </p>
      )}
      {isForm && first.configuration && <ConfigurationForm key={version} version={version} begun={begun.data} />}
      {isForm && first.target && <ChangeTarget key={version} version={version} begun={begun.data} />}
      {!isForm && configuration && (
        <>
          <p className="quiet" style={{ margin: 0 }}>
            {state === 'DRAFT'
              ? 'Maintainers and owners can change this.'
              : 'A published version never changes. Upload the source again to make a new version with another configuration.'}
          </p>
          <ConfigurationFacts configuration={configuration} />
        </>
      )}
      {!isForm && target && <TargetFacts target={target} />}
      {!configuration && !target && (
        <div className="panel quiet">A workflow has no configuration: its tasks call services that have one each.</div>
      )}
    </div>
  );
}

/** Says that a draft has been published while its form is open. */
function changedState({ target }: ServiceVersion): string {
  return target
    ? 'This version has been published in the meantime. Its address can still move.'
    : 'This version has been published in the meantime, and a published version never changes. What you typed cannot be saved into it.';
}
