import type { Subscription } from '@kethub/contract';
import { Select } from '@mantine/core';
import { useState } from 'react';
import { Code, CopyButton } from '../../look/parts.tsx';

/** Commands with which the application gets a token and calls a service. They work as pasted, given the secret. */
export function CallCode({
  tokenEndpoint,
  accessKeyId,
  subscriptions,
}: {
  readonly tokenEndpoint: string;
  readonly accessKeyId: string;
  readonly subscriptions: readonly Pick<Subscription, 'id' | 'serviceName' | 'version' | 'endpoint'>[];
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  const called = subscriptions.find(({ id }) => id === chosen) ?? subscriptions[0];
  return (
    <section className="panel stack" aria-labelledby="call">
      <h2 id="call">Call from a program</h2>
      <div className="row">
        <span className="quiet">Token address</span>
        <code style={{ overflowWrap: 'anywhere' }}>{tokenEndpoint}</code>
        <CopyButton value={tokenEndpoint} label="Copy the token address" />
      </div>
      {subscriptions.length > 1 && (
        <Select
          label="Service"
          data={subscriptions.map(({ id, serviceName, version }) => ({
            value: id,
            label: `${serviceName} ${version}`,
          }))}
          value={called?.id ?? null}
          onChange={setChosen}
          allowDeselect={false}
          searchable
          style={{ maxWidth: 360 }}
        />
      )}
      <Code text={commands(tokenEndpoint, accessKeyId, called?.endpoint)} label="Commands" />
      <p className="quiet small" style={{ margin: 0 }}>
        A token works for the seconds that <code>expires_in</code> of the answer names. Then the program asks for
        another.
        {called === undefined && ' The line that calls a service appears here after the first subscription.'}
      </p>
    </section>
  );
}

function commands(tokenEndpoint: string, accessKeyId: string, endpoint: string | undefined): string {
  const token = `# SECRET_ACCESS_KEY: the secret of the key pair
TOKEN=$(curl -s '${tokenEndpoint}' -d grant_type=client_credentials \\
  -u "${accessKeyId}:$SECRET_ACCESS_KEY" |
  sed -n 's/.*"access_token" *: *"\\([^"]*\\)".*/\\1/p')`;
  if (endpoint === undefined) return token;
  return `${token}

# The input stands behind -d. The answer comes when the execution has ended, or after 30 s.
curl -s '${endpoint}' -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -H 'Prefer: wait=30' -d '{}'`;
}
