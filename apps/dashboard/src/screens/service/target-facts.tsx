import type { Target } from '@kethub/contract';

/** Address at which a version of an on-premise service runs, for those who may not change it. */
export function TargetFacts({ target }: { readonly target: Target }) {
  return (
    <section className="panel" aria-label="Where it runs">
      <dl className="facts">
        <dt>Address</dt>
        <dd className="mono">{target.url}</dd>
        <dt>Longest wait for an answer</dt>
        <dd className="numbers">{target.timeoutSeconds} s</dd>
        <dt>Credentials</dt>
        <dd>{target.hasCredentials ? 'sent by the gateway' : 'none'}</dd>
      </dl>
    </section>
  );
}
