import { Button, Checkbox, Modal, Radio, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import { implementationsQuery } from '../../data/implementation-queries.ts';
import { serviceQuery } from '../../data/queries.ts';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { useEveryPage } from '../../look/more.tsx';
import { useServiceAddress } from './use-service.ts';

/** Lets pushes to an implementation become versions of a service that is there already. */
export function NewAutomation({ onClose }: { readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const implementations = useInfiniteQuery(implementationsQuery(acting));
  useEveryPage(implementations);
  const rows = (implementations.data?.pages.flat() ?? []).filter(({ role }) => isEnough(role, 'implementation:build'));
  const [chosen, setChosen] = useState<string | null>(null);
  const [on, setOn] = useState<'BRANCH' | 'TAG'>('BRANCH');
  const [typed, setTyped] = useState<string | null>(null);
  const [publishes, setPublishes] = useState(false);
  const implementation = rows.find(({ id }) => id === chosen);
  const pattern = typed ?? (on === 'TAG' ? 'v*' : (implementation?.defaultBranch ?? ''));
  const mayPublish =
    acting.role === 'OWNER' && implementation !== undefined && isEnough(implementation.role, 'implementation:change');
  const begin = useMutation({
    mutationFn: () =>
      acting.platform.setServiceSource({
        serviceId,
        json: {
          implementationId: chosen ?? '',
          on,
          pattern: pattern.trim(),
          action: publishes && mayPublish ? 'PUBLISH' : 'DRAFT',
        },
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: serviceQuery(acting, serviceId).queryKey });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Versions of pushes" lockScroll={false}>
      <Form className="stack" request={begin} onSubmit={() => begin.mutate()}>
        <p style={{ margin: 0 }}>From now on, what is pushed to an implementation becomes the next version.</p>
        <Select
          label="Implementation"
          required
          searchable
          limit={200}
          openOnFocus={false}
          data={rows.map(({ id, name }) => ({ value: id, label: name }))}
          nothingFoundMessage={implementations.isPending ? 'Loading…' : 'There is none of which you may make services.'}
          value={chosen}
          error={complaintAt(begin.error, '/implementationId')}
          onChange={setChosen}
        />
        <Radio.Group
          label="What becomes a version"
          value={on}
          onChange={(value) => {
            setOn(value === 'TAG' ? 'TAG' : 'BRANCH');
            setTyped(null);
          }}
        >
          <div className="stack" style={{ gap: 6, marginTop: 6 }}>
            <Radio value="BRANCH" label="Pushes to a branch: each makes the next draft" />
            <Radio value="TAG" label="Tags such as v1.2.3: each makes the version 1.2.3" />
          </div>
        </Radio.Group>
        <TextInput
          label={on === 'TAG' ? 'Tags' : 'Branch'}
          description={on === 'TAG' ? '* stands for any text.' : undefined}
          required
          maxLength={200}
          value={pattern}
          error={complaintAt(begin.error, '/pattern')}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {mayPublish && (
          <Checkbox
            label="Publish each version once it is built"
            checked={publishes}
            onChange={(event) => setPublishes(event.currentTarget.checked)}
          />
        )}
        <FormProblem error={begin.error} fields={['/implementationId', '/pattern']} />
        <Button type="submit" loading={begin.isPending} disabled={chosen === null || pattern.trim() === ''}>
          Begin
        </Button>
      </Form>
    </Modal>
  );
}
