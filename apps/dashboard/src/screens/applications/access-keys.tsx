import type { AccessKey } from '@kethub/contract';
import { Button, Modal, Radio } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { applicationQuery } from '../../data/application-queries.ts';
import { useMay } from '../../data/context.tsx';
import { Form } from '../../forms/form.tsx';
import { CopyButton, TableHead, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useApplicationAddress } from './use-application.ts';

/** The key pairs of an application, newest first. A secret is in the page only while it is shown. */
export function AccessKeys({ keys }: { readonly keys: readonly AccessKey[] }) {
  const mayRotate = useMay('access-key:rotate');
  const [isRotating, setRotating] = useState(false);
  return (
    <section className="panel flush" aria-labelledby="keys">
      <div className="row apart panel-head">
        <h2 id="keys">Access keys</h2>
        {mayRotate && (
          <Button size="xs" variant="default" onClick={() => setRotating(true)}>
            Rotate
          </Button>
        )}
      </div>
      <table className="list">
        <TableHead columns={['Access key id', 'Secret', 'State', 'Created']} />
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td>
                <span className="row">
                  <code>{key.accessKeyId}</code>
                  <CopyButton value={key.accessKeyId} label="Copy the access key id" />
                </span>
              </td>
              <td>
                <Secret accessKey={key} />
              </td>
              <td className="quiet" style={{ whiteSpace: 'nowrap' }}>
                {key.expiresAt === null ? (
                  'works'
                ) : (
                  <>
                    ends <Time at={key.expiresAt} />
                  </>
                )}
              </td>
              <td className="quiet">
                <Time at={key.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isRotating && <Rotation onClose={() => setRotating(false)} />}
    </section>
  );
}

function Secret({ accessKey: { id, secretAccessKey } }: { readonly accessKey: AccessKey }) {
  const { acting, applicationId } = useApplicationAddress();
  const mayReveal = useMay('access-key:reveal');
  const reveal = useMutation({
    gcTime: 0,
    mutationFn: () => acting.platform.revealSecretAccessKey({ applicationId, keyId: id }),
  });
  if (reveal.error) return <Problem error={reveal.error} onRetry={() => reveal.mutate()} />;
  const shown = reveal.data?.secretAccessKey;
  return (
    <span className="row">
      <code>{shown ?? secretAccessKey}</code>
      {shown !== undefined && <CopyButton value={shown} label="Copy the secret" />}
      {mayReveal && (
        <Button
          size="compact-xs"
          variant="default"
          loading={reveal.isPending}
          onClick={() => (shown === undefined ? reveal.mutate() : reveal.reset())}
        >
          {shown === undefined ? 'Reveal' : 'Hide'}
        </Button>
      )}
    </span>
  );
}

const OVERLAPS: readonly (readonly [seconds: number, label: string, description: string])[] = [
  [86_400, 'In one day', 'Enough to give the new pair to your programs.'],
  [7 * 86_400, 'In seven days', 'For programs that are installed in several places.'],
  [0, 'At once', 'The pair is in wrong hands: programs that use it stop working now.'],
];

/** Makes a new key pair. The ones before it work until the end of the overlap. */
function Rotation({ onClose }: { readonly onClose: () => void }) {
  const { acting, applicationId } = useApplicationAddress();
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState('86400');
  const rotate = useMutation({
    mutationFn: () => acting.platform.rotateAccessKey({ applicationId, json: { overlapSeconds: Number(overlap) } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: applicationQuery(acting, applicationId).queryKey, exact: true });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Rotate the access key" lockScroll={false}>
      <Form className="stack" request={rotate} onSubmit={() => rotate.mutate()}>
        <p style={{ margin: 0 }}>A new key pair is made, which works at once. Reveal its secret in the list.</p>
        <Radio.Group label="The present pairs end" value={overlap} onChange={setOverlap}>
          <div className="stack" style={{ marginTop: 8 }}>
            {OVERLAPS.map(([seconds, label, description]) => (
              <Radio key={seconds} value={String(seconds)} label={label} description={description} />
            ))}
          </div>
        </Radio.Group>
        {rotate.error && <Problem error={rotate.error} />}
        <Button type="submit" loading={rotate.isPending}>
          Make a new key pair
        </Button>
      </Form>
    </Modal>
  );
}
