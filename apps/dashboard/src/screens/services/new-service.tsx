import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { Form } from '../../forms/form.tsx';
import { DescriptionField, NameField } from '../../forms/name-fields.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';
import { Code } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { MayNotCreate, NewServiceHead } from './new-service-head.tsx';
import { SourceDrop } from './source-drop.tsx';
import type { Runtime, Source } from './source-files.ts';
import { UploadProgress, useSourceUpload } from './source-upload.tsx';

const EXAMPLE = `# src/program.py
def run(data: dict, params: dict | None = None) -> dict:
    print("This line is in the log.")
    return {"sum": sum(data["values"])}`;

export function NewService() {
  useTitle('New service');
  const acting = useActing();
  const mayCreate = useMay('service:create');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [source, setSource] = useState<Source | null>(null);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [runtime, setRuntime] = useState<Runtime>('PYTHON_TEMPLATE');
  const create = useSourceUpload({
    about: JSON.stringify([name, description, runtime]),
    send: (platform, { file, isWorkflow }, sending) => {
      const body = new FormData();
      body.set('name', name.trim());
      if (description.trim() !== '') body.set('description', description.trim());
      if (isWorkflow) body.set('type', 'WORKFLOW');
      else body.set('configuration', JSON.stringify({ runtime }));
      body.set('source', file);
      return platform.createService({ body, ...sending });
    },
    async onSent({ id }) {
      await queries.invalidateQueries({ queryKey: [acting.base, 'services'] });
      await navigate({ to: `${acting.base}/services/${id}/versions` });
    },
  });
  if (!mayCreate) return <MayNotCreate />;
  return (
    <>
      <NewServiceHead />
      <div className="split">
        <Form
          className="panel stack"
          request={create}
          below={<UploadProgress upload={create} />}
          onSubmit={() => {
            if (source) create.start(source);
          }}
        >
          <SourceDrop
            source={source}
            onSource={(given) => {
              setSource(given);
              setRuntime(given.runtime ?? 'PYTHON_TEMPLATE');
              // A large folder takes a while to read, in which a name may have been typed.
              setName((typed) => (typed === '' ? given.name : typed));
            }}
          />
          {source !== null && !source.isWorkflow && (
            <NativeSelect
              label="Runtime"
              description={
                runtime === 'DOCKER'
                  ? 'The image is built from the Dockerfile.'
                  : 'src/program.py is run with the packages of requirements.txt.'
              }
              data={[
                { value: 'PYTHON_TEMPLATE', label: 'Python template' },
                { value: 'DOCKER', label: 'Container (Dockerfile)' },
              ]}
              value={runtime}
              onChange={({ currentTarget: { value } }) => setRuntime(value === 'DOCKER' ? 'DOCKER' : 'PYTHON_TEMPLATE')}
            />
          )}
          <NameField
            hint="Stands in the address of the service."
            value={name}
            error={create.error}
            onChange={setName}
          />
          <DescriptionField value={description} error={create.error} onChange={setDescription} />
          <FormProblem error={create.error} fields={['/name', '/description']} />
          <div className="row">
            <Button type="submit" disabled={source === null || name.trim() === ''} loading={create.isPending}>
              Upload and build
            </Button>
            {source === null && <span className="quiet small">First choose what to upload.</span>}
          </div>
        </Form>
        <aside className="panel stack" aria-label="What a service is">
          <h2>What is uploaded</h2>
          <p style={{ margin: 0 }}>
            A folder with <code>src/program.py</code>, in which there is a function <code>run</code>. Its parameters are
            the input, what it returns is the result, what it prints is the log. Packages stand in{' '}
            <code>requirements.txt</code>. A folder with a <code>Dockerfile</code> becomes a container.
          </p>
          <Code text={EXAMPLE} label="Example" />
          <p className="quiet small" style={{ margin: 0 }}>
            Nothing is published yet: the first version is a draft that you can run yourself.
          </p>
        </aside>
      </div>
    </>
  );
}
