import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { writeExact } from '../data/exact-json.ts';
import { Code, CopyButton } from '../look/parts.tsx';
import { save } from './save.ts';
import { Histogram } from './histogram.tsx';
import { GraphView } from './graph-view.tsx';
import { QasmView } from './qasm-view.tsx';
import { LineChart, Matrix } from './charts.tsx';
import { csvOf, shapeOf } from './shape.ts';
import { DataTable } from './data-table.tsx';
import { Tree } from './tree.tsx';

/** Characters of the raw text that are shown; the rest is in the download. */
const RAW_SHOWN = 200_000;

/** Members of a result that are shown by their shapes. A result with more is shown as a tree. */
const MOST_PARTS = 100;

/** A result: short members first as facts, then each larger member by its shape. */
export function Result({
  value,
  name,
  of = '',
}: {
  readonly value: unknown;
  readonly name: string;
  /** Tells the parts of this result from those of another one on the page. */
  readonly of?: string;
}) {
  const [isRaw, setRaw] = useState(false);
  const text = useMemo(() => (isRaw ? writeExact(value) : ''), [isRaw, value]);
  return (
    <div className="stack">
      <div className="row" style={{ justifyContent: 'flex-end' }}>
        <Button size="compact-xs" variant="default" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          {isRaw ? 'Formatted' : 'Raw JSON'}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => save(new Blob([writeExact(value)], { type: 'application/json' }), `${name}.json`)}
        >
          Download
        </Button>
        <CopyButton value={() => (isRaw ? text : writeExact(value))} label="Copy the result" />
      </div>
      {isRaw ? (
        <Code
          text={text.length > RAW_SHOWN ? `${text.slice(0, RAW_SHOWN)}\n… the rest is in the download` : text}
          label="Result as JSON"
        />
      ) : (
        <Parts value={value} of={of} />
      )}
    </div>
  );
}

function Parts({ value, of }: { readonly value: unknown; readonly of: string }) {
  const members = useMemo(() => partsOf(value), [value]);
  if (members === null) return <Part name={null} value={value} of={of} />;
  if (members.length === 0) return <p className="quiet">The result is an empty object.</p>;
  const facts = members.filter(([, one]) => shapeOf(one).as === 'scalar');
  return (
    <>
      {facts.length > 0 && (
        <dl className="facts">
          {facts.map(([name, one]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd className="numbers">
                <strong>{String(one)}</strong>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {members
        .filter(([, one]) => shapeOf(one).as !== 'scalar')
        .map(([name, one]) => (
          <Part key={name} name={name} value={one} of={of} />
        ))}
    </>
  );
}

/** The members of an object that are shown one by one; null for a value that is shown as a whole. */
function partsOf(value: unknown): (readonly [string, unknown])[] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || shapeOf(value).as !== 'tree') return null;
  const members = Object.entries(value as Readonly<Record<string, unknown>>);
  return members.length > MOST_PARTS ? null : members;
}

function Part({ name, value, of }: { readonly name: string | null; readonly value: unknown; readonly of: string }) {
  const shape = useMemo(() => shapeOf(value), [value]);
  const csv = (columns: readonly string[], rows: readonly (readonly unknown[])[]) => (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => save(new Blob([csvOf(columns, rows)], { type: 'text/csv' }), `${name ?? 'result'}.csv`)}
    >
      CSV
    </Button>
  );
  return (
    <section aria-label={`${name ?? 'Result'} ${of}`.trim()}>
      <div className="row apart" style={{ marginBottom: 6 }}>
        {name !== null ? <h3 className="mono">{name}</h3> : <span />}
        {shape.as === 'histogram' && csv(['state', 'count'], shape.counts)}
        {shape.as === 'table' &&
          csv(
            shape.columns,
            shape.rows.map((row) => shape.columns.map((column) => row[column])),
          )}
        {shape.as === 'line' && csv(['index', 'value'], [...shape.numbers.entries()])}
        {shape.as === 'matrix' && csv(shape.rows[0]?.map((_, index) => String(index)) ?? [], shape.rows)}
      </div>
      {shape.as === 'histogram' && <Histogram counts={shape.counts} />}
      {shape.as === 'table' && <DataTable columns={shape.columns} rows={shape.rows} />}
      {shape.as === 'line' && <LineChart numbers={shape.numbers} />}
      {shape.as === 'matrix' && <Matrix rows={shape.rows} />}
      {shape.as === 'graph' && <GraphView graph={shape.graph} />}
      {shape.as === 'qasm' && <QasmView text={shape.text} label={name ?? 'Program'} />}
      {shape.as === 'text' && <Code text={shape.text} label={name ?? 'Text'} />}
      {shape.as === 'scalar' && <strong className="numbers">{shape.text}</strong>}
      {shape.as === 'tree' && <Tree value={value} />}
    </section>
  );
}
