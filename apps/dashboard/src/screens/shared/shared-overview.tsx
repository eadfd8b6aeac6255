import { Link } from '@tanstack/react-router';
import type { Access } from '@kethub/contract';
import { CopyButton, State } from '../../look/parts.tsx';
import { useSharedService } from './use-shared.ts';

/** Recipient's view of a shared service: its description, and the interfaces that each version opens. */
export function SharedOverview() {
  const { acting, service } = useSharedService();
  if (!service.data) return null;
  const { description, versions } = service.data;
  return (
    <div className="stack">
      <section className="panel stack" aria-labelledby="about">
        <h2 id="about">About</h2>
        <p style={{ margin: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {description === '' ? <span className="quiet">No description yet.</span> : description}
        </p>
      </section>
      <section className="panel stack" aria-labelledby="versions">
        <h2 id="versions">Versions</h2>
        {versions.length === 0 && (
          <p className="quiet" style={{ margin: 0 }}>
            No version can be used yet. Its owner has to publish one.
          </p>
        )}
        {versions.map(({ version, state, opens, endpoint, hosts }) => (
          <div key={version} className="stack" style={{ gap: 4 }}>
            <div className="row">
              <strong className="numbers">{version}</strong>
              <State of={state} />
              <span className="quiet">{opensInWords(opens)}</span>
            </div>
            {endpoint !== undefined && (
              <div className="row">
                <code style={{ overflowWrap: 'anywhere' }}>{endpoint}</code>
                <CopyButton value={endpoint} label={`Copy the address of ${version}`} />
              </div>
            )}
            {hosts !== undefined && hosts.length > 0 && (
              <span className="quiet small">Its code may call {hosts.join(', ')}.</span>
            )}
          </div>
        ))}
        {versions.some(({ opens }) => opens.includes('API')) && (
          <p className="quiet small" style={{ margin: 0 }}>
            To call it from a program, subscribe one of your{' '}
            <Link to={`${acting.base}/applications`}>applications</Link>.
          </p>
        )}
      </section>
    </div>
  );
}

function opensInWords(opens: readonly Access[]): string {
  if (!opens.includes('API')) return 'you can run it';
  return opens.includes('JOBS')
    ? 'you can run it, and your applications can subscribe'
    : 'your applications can subscribe';
}
