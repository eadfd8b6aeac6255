import type { ProviderAccessToken, ProviderCode } from '@kethub/contract';
import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { providerTokensQuery } from '../../data/usage-queries.ts';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { PageHead, TableHead, Time } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';

/** Names of the providers. IBM Quantum alone needs the CRN of an instance as well. */
const PROVIDERS: Readonly<Record<ProviderCode, string>> = {
  IBM_QUANTUM: 'IBM Quantum Platform',
  IONQ: 'IonQ',
  IQM: 'IQM Resonance',
  AQT: 'AQT',
  DWAVE: 'D-Wave Leap',
  QUANDELA: 'Quandela Cloud',
};
const CODES = Object.keys(PROVIDERS) as ProviderCode[];

/** Credentials at providers of quantum computers. A key is never shown again, only its last characters. */
export function ProviderTokens() {
  useTitle('Provider tokens');
  const acting = useActing();
  const tokens = useQuery(providerTokensQuery(acting));
  const [setting, setSetting] = useState<ProviderCode | null>(null);
  const [removing, setRemoving] = useState<ProviderAccessToken | null>(null);
  return (
    <>
      <PageHead
        title="Provider tokens"
        note={
          <span className="quiet">
            Services that ask for them find these keys as environment variables, from their next execution on.
          </span>
        }
      />
      {tokens.error && <Problem error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.isPending && <div className="panel quiet">Loading…</div>}
      {tokens.data && (
        <div className="panel flush">
          <table className="list">
            <TableHead columns={['Provider', 'Key', 'Environment variables', 'Changed']} spoken="Change" />
            <tbody>
              {CODES.map((code) => {
                const token = tokens.data.find(({ provider }) => provider === code);
                return (
                  <tr key={code}>
                    <td>
                      <strong>{PROVIDERS[code]}</strong>
                      {token?.serviceIdentifier !== undefined && (
                        <div className="small mono quiet">{token.serviceIdentifier}</div>
                      )}
                    </td>
                    <td className={token ? 'mono' : 'quiet'}>{token?.hint ?? 'none'}</td>
                    <td className="mono small">{token?.environmentVariables.join(', ')}</td>
                    <td className="quiet">{token && <Time at={token.updatedAt} />}</td>
                    <td>
                      <span className="row">
                        <Button
                          size="compact-xs"
                          variant="default"
                          aria-label={`${token ? 'Replace' : 'Set'} the key of ${PROVIDERS[code]}`}
                          onClick={() => setSetting(code)}
                        >
                          {token ? 'Replace' : 'Set'}
                        </Button>
                        {token && (
                          <Button
                            size="compact-xs"
                            variant="default"
                            aria-label={`Delete the key of ${PROVIDERS[code]}`}
                            onClick={() => setRemoving(token)}
                          >
                            Delete
                          </Button>
                        )}
                      </span>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {setting && <KeyForm code={setting} onClose={() => setSetting(null)} />}
      {removing && <Removal token={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function KeyForm({ code, onClose }: { readonly code: ProviderCode; readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const [apiKey, setApiKey] = useState('');
  const [serviceIdentifier, setIdentifier] = useState('');
  const needsIdentifier = code === 'IBM_QUANTUM';
  const set = useMutation({
    gcTime: 0,
    mutationFn: () =>
      acting.platform.setProviderAccessToken({
        provider: code,
        json: { apiKey: apiKey.trim(), ...(needsIdentifier && { serviceIdentifier: serviceIdentifier.trim() }) },
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: providerTokensQuery(acting).queryKey });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Key of ${PROVIDERS[code]}`} lockScroll={false}>
      <Form className="stack" autoComplete="off" request={set} onSubmit={() => set.mutate()}>
        <PasswordInput
          label="API key"
          description="It is sealed, and never shown again. User code that gets it may print it."
          required
          data-autofocus
          autoComplete="off"
          value={apiKey}
          error={complaintAt(set.error, '/apiKey')}
          onChange={(event) => setApiKey(event.currentTarget.value)}
        />
        {needsIdentifier && (
          <TextInput
            label="CRN of the instance"
            required
            className="mono"
            placeholder="crn:v1:bluemix:public:quantum-computing:…"
            value={serviceIdentifier}
            error={complaintAt(set.error, '/serviceIdentifier')}
            onChange={(event) => setIdentifier(event.currentTarget.value)}
          />
        )}
        <FormProblem error={set.error} fields={['/apiKey', '/serviceIdentifier']} />
        <Button
          type="submit"
          loading={set.isPending}
          disabled={apiKey.trim() === '' || (needsIdentifier && serviceIdentifier.trim() === '')}
        >
          Save
        </Button>
      </Form>
    </Modal>
  );
}

function Removal({ token, onClose }: { readonly token: ProviderAccessToken; readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => acting.platform.deleteProviderAccessToken({ provider: token.provider }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: providerTokensQuery(acting).queryKey });
      onClose();
    },
  });
  return (
    <Confirm title={`Delete the key of ${token.name}?`} action="Delete" request={remove} onClose={onClose}>
      Services that need it fail from their next execution on.
    </Confirm>
  );
}
