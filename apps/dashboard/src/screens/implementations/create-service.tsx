import { Button, Checkbox, Modal, Radio, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import { implementationQuery, refsQuery } from '../../data/implementation-queries.ts';
import { Form } from '../../forms/form.tsx';
import { NameField } from '../../forms/name-fields.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';
import { useImplementationAddress, useWhere } from './use-implementation.ts';

/** Pushes that become versions later. */
type Follow = 'NOTHING' | 'BRANCH' | 'TAG';

const FOLLOW: Readonly<Record<Follow, string>> = {
  NOTHING: 'Nothing: versions are made by hand',
  BRANCH: 'Pushes to the branch: each makes the next draft',
  TAG: 'Tags such as v1.2.3: each makes the version 1.2.3',
};

/** Makes a service of a branch, with a draft version that is built at once. */
export function CreateService({ name: suggested, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { acting, implementationId } = useImplementationAddress();
  const { ref: shown } = useWhere();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refs = useQuery(refsQuery(acting, implementationId));
  const role = useQuery(implementationQuery(acting, implementationId)).data?.value.role ?? 'VIEWER';
  const [name, setName] = useState(suggested);
  const [chosen, setChosen] = useState<string | null>(shown);
  const [follow, setFollow] = useState<Follow>('NOTHING');
  const [publishes, setPublishes] = useState(false);
  const ref = chosen ?? refs.data?.defaultBranch ?? '';
  const branches = refs.data?.branches.map((one) => one.name) ?? [];
  const mayPublish = acting.role === 'OWNER' && isEnough(role, 'implementation:change');
  // A click that is repeated after a lost answer makes no second service.
  const key = useRef(crypto.randomUUID());
  const made = useRef<string | null>(null);
  const create = useMutation({
    async mutationFn() {
      const { platform } = acting;
      made.current ??= (
        await platform.createServiceOfImplementation({
          implementationId,
          json: { name: name.trim(), ref },
          headers: { 'idempotency-key': key.current },
        })
      ).id;
      if (follow !== 'NOTHING')
        await platform.setServiceSource({
          serviceId: made.current,
          json: {
            implementationId,
            on: follow,
            pattern: follow === 'TAG' ? 'v*' : ref,
            action: publishes && mayPublish ? 'PUBLISH' : 'DRAFT',
          },
        });
      return made.current;
    },
    async onSuccess(id) {
      await queries.invalidateQueries({ queryKey: [acting.base, 'services'] });
      await navigate({ to: `${acting.base}/services/${id}/versions` });
    },
    onError() {
      if (made.current === null) key.current = crypto.randomUUID();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Create a service" lockScroll={false}>
      <Form className="stack" request={create} onSubmit={() => create.mutate()}>
        <p style={{ margin: 0 }}>The files are built at once. Nothing is published yet.</p>
        <NameField hint="Stands in the address of the service." value={name} error={create.error} onChange={setName} />
        <Select
          label="Branch or tag"
          searchable
          limit={200}
          allowDeselect={false}
          openOnFocus={false}
          data={[...new Set([ref, ...branches, ...(refs.data?.tags.map((one) => one.name) ?? [])])]}
          value={ref}
          onChange={setChosen}
        />
        <Radio.Group
          label="What becomes a version later"
          value={follow}
          onChange={(value) => setFollow(value === 'BRANCH' || value === 'TAG' ? value : 'NOTHING')}
        >
          <div className="stack" style={{ gap: 6, marginTop: 6 }}>
            {Object.entries(FOLLOW).map(([value, label]) => (
              <Radio
                key={value}
                value={value}
                label={label}
                disabled={value === 'BRANCH' && refs.isSuccess && !branches.includes(ref)}
              />
            ))}
          </div>
        </Radio.Group>
        {follow !== 'NOTHING' && mayPublish && (
          <Checkbox
            label="Publish each version once it is built"
            checked={publishes}
            onChange={(event) => setPublishes(event.currentTarget.checked)}
          />
        )}
        {made.current !== null && create.error && (
          <p style={{ margin: 0 }}>The service is made. Only the choice of what becomes a version later has failed.</p>
        )}
        <FormProblem error={create.error} fields={['/name']} />
        <Button type="submit" loading={create.isPending} disabled={name.trim() === '' || ref === ''}>
          Create and build
        </Button>
      </Form>
    </Modal>
  );
}
