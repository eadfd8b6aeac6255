import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { applicationsQuery } from '../../data/application-queries.ts';
import { useActing } from '../../data/context.tsx';
import { useEveryPage } from '../../look/more.tsx';
import { findingsAt, servicesOf, useModelling } from '../context.tsx';
import { extensionOf, headerOf, mappingsOf, setExtension, setHeaders, setMappings } from '../kit/edit.ts';
import { callService } from '../kit/services.ts';
import { text, type Drawn } from '../kit/types.ts';
import { shortened } from '../kit/words.ts';
import { FeelField } from './feel-field.tsx';
import { Section, TextField } from './fields.tsx';
import { Mappings } from './mappings.tsx';

/** The service that a task calls, a field for each of its parameters, and what becomes of its result. */
export function ServiceTask({ element }: { readonly element: Drawn }) {
  const modelling = useModelling();
  const { kit } = modelling;
  const services = servicesOf(modelling, element);
  const serviceId = headerOf(element.businessObject, 'serviceId');
  const service = services.find(({ id }) => id === serviceId);
  const unknown = serviceId !== '' && service === undefined;
  const parameters = service?.parameters ?? [];
  return (
    <>
      <Section title="Service">
        <Caller element={element} />
        <NativeSelect
          size="xs"
          label="Service"
          value={serviceId}
          data={[
            { value: '', label: 'Choose a service' },
            ...services.map(({ id, name, version }) => ({
              value: id,
              label: version === null ? `${name} (not subscribed)` : name,
            })),
            ...(unknown ? [{ value: serviceId, label: `Unknown here: ${shortened(serviceId, 40)}` }] : []),
          ]}
          error={
            unknown
              ? 'The application has not subscribed to this service. Choose another, or subscribe to it.'
              : service?.isRetired
                ? `Version ${service.version} is retired: its calls fail. Subscribe the application to a newer version, or choose another service.`
                : findingsAt(modelling, element.id).find(({ message }) => message.includes('serviceId')) &&
                  'A service is needed.'
          }
          onChange={({ currentTarget: { value } }) => {
            const chosen = services.find(({ id }) => id === value);
            if (chosen) callService(kit, element, chosen);
            else setHeaders(kit, element, { serviceId: '' });
          }}
        />
        <TextField
          label="Version"
          placeholder={
            service?.version === undefined || service.version === null
              ? 'as subscribed'
              : `as subscribed (${service.version})`
          }
          value={headerOf(element.businessObject, 'serviceVersion')}
          onCommit={(value) => setHeaders(kit, element, { serviceVersion: value.trim() })}
        />
      </Section>
      {parameters.length > 0 && (
        <Section title="Input">
          {parameters.map(({ name, required, description }) => (
            <Parameter key={name} element={element} name={name} required={required} description={description} />
          ))}
        </Section>
      )}
      <Mappings
        element={element}
        side="input"
        title={parameters.length > 0 ? 'More input' : 'Input'}
        without={new Set(parameters.map(({ name }) => name))}
        addLabel="Add an input"
      />
      <Mappings
        element={element}
        side="output"
        title="Output"
        note="Expressions read the fields of the result. Without an output, every field becomes a variable."
        addLabel="Add an output"
      />
      <Section title="Calls">
        <TextField
          label="Calls at most"
          description="So often the service is called before its error is raised."
          placeholder="1"
          value={text(extensionOf(element.businessObject, 'zeebe:TaskDefinition'), 'retries')}
          onCommit={(value) =>
            setExtension(kit, element, 'zeebe:TaskDefinition', { retries: value.trim() || undefined })
          }
        />
        <TextField
          label="Pause before the next call"
          placeholder="PT1S"
          value={headerOf(element.businessObject, 'retryBackoff')}
          onCommit={(value) => setHeaders(kit, element, { retryBackoff: value.trim() })}
        />
      </Section>
    </>
  );
}

/** The application as which the task calls its service: that of the workflow, or one of its own. */
function Caller({ element }: { readonly element: Drawn }) {
  const { kit } = useModelling();
  const applications = useInfiniteQuery(applicationsQuery(useActing()));
  useEveryPage(applications);
  const rows = applications.data?.pages.flat() ?? [];
  const chosen = headerOf(element.businessObject, 'applicationId').trim();
  const isUnknown = chosen !== '' && !rows.some(({ id }) => id === chosen);
  return (
    <NativeSelect
      size="xs"
      label="Application"
      value={chosen}
      data={[
        { value: '', label: 'that of the workflow' },
        ...rows.map(({ id, name }) => ({ value: id, label: name })),
        ...(isUnknown ? [{ value: chosen, label: `Unknown here: ${shortened(chosen, 40)}` }] : []),
      ]}
      onChange={({ currentTarget: { value } }) => setHeaders(kit, element, { applicationId: value })}
    />
  );
}

function Parameter({
  element,
  name,
  required,
  description,
}: {
  readonly element: Drawn;
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
}) {
  const { kit } = useModelling();
  const mappings = mappingsOf(element.businessObject, 'input');
  const value = mappings.find(({ target }) => target === name)?.source ?? '';
  const set = (source: string): void => {
    const others = mappings.filter(({ target }) => target !== name);
    const at = mappings.findIndex(({ target }) => target === name);
    if (source === '') return setMappings(kit, element, 'input', others);
    const next = mappings.map((one) => (one.target === name ? { source, target: name } : one));
    setMappings(kit, element, 'input', at === -1 ? [...others, { source, target: name }] : next);
  };
  return (
    <FeelField
      label={name}
      required={required}
      description={description === '' ? undefined : description}
      elementId={element.id}
      value={value}
      onCommit={set}
    />
  );
}
