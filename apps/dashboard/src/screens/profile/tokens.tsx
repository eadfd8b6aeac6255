import type { PlatformClient } from '@kethub/client';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { useActing } from '../../data/context.tsx';
import { accessTokensQuery } from '../../data/queries.ts';
import { Icon } from '../../look/icons.tsx';
import { CopyButton, TableHead, Time } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { NewToken } from './new-token.tsx';

type ListedToken = Awaited<ReturnType<PlatformClient['listAccessTokens']>>['accessTokens'][number];

/** The personal access tokens. A token is shown when it is made; the default token can be shown at any time. */
export function Tokens() {
  useTitle('Access tokens');
  const acting = useActing();
  const tokens = useQuery(accessTokensQuery(acting));
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ListedToken | null>(null);
  if (isMissing(tokens)) return <Problem error={tokens.error} onRetry={() => void tokens.refetch()} />;
  if (!tokens.data) return <div className="panel quiet">Loading…</div>;
  const { accessTokens, defaultToken } = tokens.data;
  return (
    <div className="stack">
      <p className="quiet" style={{ margin: 0 }}>
        With a token, scripts and <code>ket</code> act as you: with all your rights, in every organization. Send it as{' '}
        <code>X-Auth-Token</code>. Programs that only call services use an application instead.
      </p>
      <section className="panel flush" aria-labelledby="tokens">
        <div className="row apart panel-head">
          <h2 id="tokens">Tokens with a name</h2>
          <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => setCreating(true)}>
            New token
          </Button>
        </div>
        {accessTokens.length === 0 ? (
          <p className="quiet panel-text">
            None yet. Make one for each machine, so that you can end one without the others.
          </p>
        ) : (
          <table className="list">
            <TableHead columns={['Name', 'Last used', 'Ends', 'Created']} spoken="Change" />
            <tbody>
              {accessTokens.map((token) => (
                <tr key={token.id}>
                  <td>
                    <strong>{token.name}</strong>
                    {token.scope && <div className="quiet small">limited to {token.scope.operations.join(', ')}</div>}
                  </td>
                  <td className="quiet">{token.usedAt === null ? 'never used' : <Time at={token.usedAt} />}</td>
                  <td className="quiet numbers">{token.expiresAt === null ? 'no end' : `after ${token.expiresAt}`}</td>
                  <td className="quiet">
                    <Time at={token.createdAt} />
                  </td>
                  <td>
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Delete the token ${token.name}`}
                      onClick={() => setDeleting(token)}
                    >
                      Delete
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <DefaultToken value={defaultToken} />
      {isCreating && <NewToken onClose={() => setCreating(false)} />}
      {deleting && <Deletion token={deleting} onClose={() => setDeleting(null)} />}
    </div>
  );
}

function Deletion({ token, onClose }: { readonly token: ListedToken; readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => acting.platform.deleteAccessToken({ id: token.id }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: accessTokensQuery(acting).queryKey });
      onClose();
    },
  });
  return (
    <Confirm title={`Delete ${token.name}?`} action="Delete" request={remove} onClose={onClose}>
      What uses this token is refused from now on.
    </Confirm>
  );
}

/** The token that everybody has from the beginning. Hidden until it is asked for. */
function DefaultToken({ value }: { readonly value: string }) {
  const acting = useActing();
  const queries = useQueryClient();
  const [isShown, setShown] = useState(false);
  const [isRenewing, setRenewing] = useState(false);
  const renew = useMutation({
    mutationFn: () => acting.platform.renewDefaultAccessToken(),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: accessTokensQuery(acting).queryKey });
      setRenewing(false);
    },
  });
  return (
    <section className="panel stack" aria-labelledby="default-token">
      <h2 id="default-token">Default token</h2>
      <p className="quiet" style={{ margin: 0 }}>
        Without a name and without an end. It can be shown again at any time.
      </p>
      <div className="row">
        <code style={{ overflowWrap: 'anywhere' }}>{isShown ? value : '••••••••••••'}</code>
        <CopyButton value={value} label="Copy the default token" />
        <Button size="compact-xs" variant="default" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => setRenewing(true)}>
          Renew
        </Button>
      </div>
      {isRenewing && (
        <Confirm title="Renew the default token?" action="Renew" request={renew} onClose={() => setRenewing(false)}>
          A new one takes its place. What uses the present one is refused from then on.
        </Confirm>
      )}
    </section>
  );
}
