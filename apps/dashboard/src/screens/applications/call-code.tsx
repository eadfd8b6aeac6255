import type { ServiceVersion, Subscription } from '@kethub/contract';
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { calledQuery } from '../../data/application-queries.ts';
import { writeExact } from '../../data/exact-json.ts';
import { useActing } from '../../data/context.tsx';
import { fieldsOf } from '../../forms/schema.ts';
import { shell } from '../../forms/snippets.ts';
import { sampleOf } from '../../forms/values.ts';
import { Code, CopyButton } from '../../look/parts.tsx';

/** Commands with which the application gets a token and calls a service. They work as pasted, given the secret. */
export function CallCode({
  tokenEndpoint,
  accessKeyId,
  subscriptions,
}: {
  readonly tokenEndpoint: string;
  readonly accessKeyId: string;
  readonly subscriptions: readonly Subscription[];
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  const called = subscriptions.find(({ id }) => id === chosen) ?? subscriptions[0];
  const described = useQuery({
    ...calledQuery(useActing(), called ?? { basis: 'INTERNAL', serviceId: '', version: '' }),
    enabled: called !== undefined,
  });
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
      <Code text={commands(tokenEndpoint, accessKeyId, called?.endpoint, described.data)} label="Commands" />
      <p className="quiet small" style={{ margin: 0 }}>
        A token works for the seconds that <code>expires_in</code> of the answer names. Then the program asks for
        another.
        {called === undefined && ' The line that calls a service appears here after the first subscription.'}
      </p>
    </section>
  );
}

interface Called {
  readonly parameters: NonNullable<ServiceVersion['parameters']>;
  readonly isElsewhere: boolean;
}

/** A service whose description cannot be read, or not yet. */
const UNKNOWN: Called = { parameters: [], isElsewhere: false };

function commands(
  tokenEndpoint: string,
  accessKeyId: string,
  endpoint: string | undefined,
  { parameters, isElsewhere }: Called = UNKNOWN,
): string {
  const token = `# Before: SECRET_ACCESS_KEY='ket_sk_…', the secret of the key pair.
TOKEN=$(curl -s '${tokenEndpoint}' -d grant_type=client_credentials \\
  -u "${accessKeyId}:$SECRET_ACCESS_KEY" |
  sed -n 's/.*"access_token" *: *"\\([^"]*\\)".*/\\1/p')`;
  if (endpoint === undefined) return token;
  if (isElsewhere)
    return `${token}

# Any method, and any path below the address: the gateway passes it on.
curl -s '${endpoint}' -H "Authorization: Bearer $TOKEN"`;
  const input = writeExact(sampleOf(fieldsOf(parameters)), 0);
  return `${token}

# The input stands behind -d: put your values there. The answer comes when the execution has ended, or after 30 s.
ANSWER=$(curl -s '${endpoint}' -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -H 'Prefer: wait=30' \\
  -d ${shell(input)})
echo "$ANSWER"

# The result, by the id of the answer.
ID=$(echo "$ANSWER" | sed -n 's/.*"id" *: *"\\([^"]*\\)".*/\\1/p')
[ "$ID" ] && curl -s "${endpoint}$ID/result" -H "Authorization: Bearer $TOKEN"`;
}
