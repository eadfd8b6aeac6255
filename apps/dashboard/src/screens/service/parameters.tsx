import type { ServiceVersion } from '@kethub/contract';
import { useMemo } from 'react';
import { fieldsOf } from '../../forms/schema.ts';
import { TableHead } from '../../look/parts.tsx';

/** The parameters of a version: the members of its input. */
export function Parameters({
  title,
  parameters,
}: {
  readonly title: string;
  readonly parameters: NonNullable<ServiceVersion['parameters']>;
}) {
  const fields = useMemo(() => fieldsOf(parameters), [parameters]);
  if (fields.length === 0) return null;
  return (
    <section className="panel flush" aria-labelledby="parameters">
      <div className="panel-head">
        <h2 id="parameters">{title}</h2>
      </div>
      <table className="list">
        <TableHead columns={['Name', 'Type', 'Needed']} />
        <tbody>
          {fields.map((field) => (
            <tr key={field.name}>
              <td className="mono">{field.name}</td>
              <td>
                {field.kind === 'group'
                  ? `object: ${field.fields.map(({ name, type }) => `${name} (${type})`).join(', ')}`
                  : field.type}
              </td>
              <td className="quiet">{field.required ? 'yes' : 'no'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
