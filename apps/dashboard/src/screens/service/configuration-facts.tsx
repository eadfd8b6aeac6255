import type { RuntimeConfiguration } from '@kethub/contract';
import { duration } from '../../look/time.ts';

/** The configuration of a version that does not change, or that the person may not change. */
export function ConfigurationFacts({ configuration }: { readonly configuration: Partial<RuntimeConfiguration> }) {
  const { runtime, cpus, memoryGb, runTimeSeconds, gpu, python, hosts, providerAccessTokens, environment } =
    configuration;
  const variables = Object.entries(environment ?? {});
  return (
    <section className="panel" aria-label="Configuration">
      <dl className="facts">
        <dt>Source</dt>
        <dd>{runtime === 'DOCKER' ? 'Dockerfile' : `Python ${python ?? 'as the source asks'}`}</dd>
        <dt>CPU cores</dt>
        <dd className="numbers">{cpus ?? 1}</dd>
        <dt>Memory</dt>
        <dd className="numbers">{memoryGb ?? 1} GB</dd>
        <dt>Run time at most</dt>
        <dd>{duration((runTimeSeconds ?? 3_600) * 1_000)}</dd>
        {gpu && (
          <>
            <dt>GPU</dt>
            <dd>{`${gpu.count} ${gpu.type ?? ''}`}</dd>
          </>
        )}
        <dt>Hosts it may call</dt>
        <dd>{hosts && hosts.length > 0 ? hosts.join(', ') : 'none'}</dd>
        <dt>Provider access tokens</dt>
        <dd>{providerAccessTokens ? 'yes, as environment variables' : 'no'}</dd>
        <dt>Environment variables</dt>
        <dd>
          {variables.length === 0
            ? 'none'
            : variables.map(([name, value]) => (
                <div key={name}>
                  <code>
                    {name}={value}
                  </code>
                </div>
              ))}
        </dd>
      </dl>
    </section>
  );
}
