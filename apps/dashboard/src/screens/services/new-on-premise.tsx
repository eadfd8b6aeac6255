import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { Form } from '../../forms/form.tsx';
import { DescriptionField, NameField } from '../../forms/name-fields.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';
import { useTitle } from '../../shell/keys.ts';
import { emptyTarget, TargetFields, targetOf, targetPointers } from '../service/target-fields.tsx';
import { MayNotCreate, NewServiceHead } from './new-service-head.tsx';

const POINTERS = ['/name', '/description', ...targetPointers('/target')];

/** Makes a service that runs at an address of its provider. */
export function NewOnPremise() {
  useTitle('New service');
  const acting = useActing();
  const mayCreate = useMay('service:create');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [target, setTarget] = useState(emptyTarget);
  const create = useMutation({
    mutationFn: () =>
      acting.platform.createService({
        json: {
          type: 'ON_PREMISE',
          name: name.trim(),
          ...(description.trim() !== '' && { description: description.trim() }),
          target: targetOf(target),
        },
      }),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: [acting.base, 'services'] });
      await navigate({ to: `${acting.base}/services/${id}/versions` });
    },
  });
  if (!mayCreate) return <MayNotCreate />;
  return (
    <>
      <NewServiceHead />
      <div className="split">
        <Form className="panel stack" aria-label="New service" request={create} onSubmit={() => create.mutate()}>
          <NameField
            hint="Stands in the address of the service."
            value={name}
            error={create.error}
            onChange={setName}
          />
          <DescriptionField value={description} error={create.error} onChange={setDescription} />
          <TargetFields draft={target} onChange={setTarget} error={create.error} at="/target" />
          <FormProblem error={create.error} fields={POINTERS} />
          <div>
            <Button type="submit" disabled={name.trim() === ''} loading={create.isPending}>
              Create
            </Button>
          </div>
        </Form>
        <aside className="panel stack" aria-label="What happens to calls">
          <h2>What happens to calls</h2>
          <p style={{ margin: 0 }}>
            The service runs where you run it. The gateway checks the token and the limits of a caller and forwards the
            call: method, path, query and body. It replaces the caller&apos;s token with the credentials given here.
          </p>
          <p className="quiet small" style={{ margin: 0 }}>
            The address must be reachable from the platform. Which networks and ports are allowed, the operator decides.
          </p>
        </aside>
      </div>
    </>
  );
}
