import { KethubError } from '@kethub/client';
import type { ServiceVersion } from '@kethub/contract';
import { Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { writeExact } from '../../data/exact-json.ts';
import { inputQuery, rememberExecution } from '../../data/queries.ts';
import { documentQuery } from '../../data/source-queries.ts';
import { describedInput } from '../../forms/described-input.ts';
import { fieldsOf } from '../../forms/schema.ts';
import { focusFirst, SchemaForm, type Complaints } from '../../forms/schema-form.tsx';
import { judge } from '../../forms/validate.ts';
import { complaintsOf, defaultsOf, inputOf, type Values } from '../../forms/values.ts';
import { Icon } from '../../look/icons.tsx';
import { Problem } from '../../shell/problem.tsx';
import { JsonInput, Snippets } from './run-texts.tsx';
import { useServiceAddress } from './use-service.ts';

/** Bytes of a source that is loaded for its example. */
const LARGEST_SOURCE = 8 * 1024 * 1024;
const NONE: Complaints = new Map();

/** Query of the version that is run. */
interface Detail {
  readonly data?:
    | (Pick<ServiceVersion, 'parameters' | 'workflow' | 'apiSpecification' | 'sourceBytes' | 'build'> & {
        /** True for a service of somebody else. */
        readonly isShared?: boolean;
      })
    | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly isSuccess: boolean;
  refetch(): Promise<unknown>;
}

/** The input of an execution, as a form, JSON or code, and the button that starts it. */
export function RunInput({
  name,
  version,
  versions,
  detail,
  executionId = null,
  onVersion,
  onStarted,
}: {
  readonly name: string;
  readonly version: string;
  readonly versions: readonly { readonly value: string; readonly label: string }[];
  readonly detail: Detail;
  /** An execution whose input fills the form until something is typed. */
  readonly executionId?: string | null;
  readonly onVersion: (version: string) => void;
  readonly onStarted: (executionId: string) => void;
}) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const parameters = useMemo(() => detail.data?.parameters ?? [], [detail.data]);
  const isShared = detail.data?.isShared === true;
  const isDescribed = hasOnlyDocument(detail.data);
  const specification = useQuery({ ...documentQuery(acting, serviceId, version, isShared), enabled: isDescribed });
  const isReady = detail.isSuccess && !(isDescribed && specification.isPending);
  const described = useMemo(() => describedInput(specification.data), [specification.data]);
  const fields = useMemo(
    () => (isDescribed ? described.fields : fieldsOf(parameters)),
    [isDescribed, described, parameters],
  );
  const [typed, setTyped] = useState<Values | null>(null);
  const earlier = useQuery({
    ...inputQuery(acting, executionId ?? ''),
    enabled: executionId !== null && typed === null,
  });
  const values = typed ?? earlier.data ?? { ...defaultsOf(fields), ...described.example };
  const [view, setView] = useState('form');
  // Inputs that keep a text of their own are made anew when the values come from elsewhere.
  const [filled, setRevision] = useState(0);
  const origin = useRef<string | null>(null);
  if (typed === null) origin.current = earlier.data ? executionId : null;
  const revision = `${filled} ${origin.current}`;
  const hasForm = fields.length > 0;
  const shown = view === 'form' && !hasForm ? 'json' : view;
  const [complaints, setComplaints] = useState(NONE);
  const toFocus = useRef(false);
  useEffect(() => {
    if (toFocus.current) focusFirst(complaints);
    toFocus.current = false;
  }, [complaints]);

  const complain = (found: Complaints): void => {
    toFocus.current = true;
    setComplaints(found);
    if (found.size > 0 && hasForm) setView('form');
  };
  // One key for each input: a request that is repeated after a lost answer starts nothing twice.
  const attempt = useRef<{ readonly text: string; readonly key: string } | null>(null);
  const start = useMutation({
    mutationFn: (text: string) => {
      if (attempt.current?.text !== text) attempt.current = { text, key: crypto.randomUUID() };
      const headers = { 'idempotency-key': attempt.current.key };
      return acting.platform.startJobOfVersion({ serviceId, version, jsonText: text, headers });
    },
    async onSuccess(execution) {
      attempt.current = null;
      rememberExecution(queries, acting, execution);
      onStarted(execution.id);
      await queries.invalidateQueries({ queryKey: [acting.base, 'executions'] });
    },
    onError(error) {
      if (!(error instanceof KethubError)) return;
      const found = new Map(error.errors.map(({ pointer, detail }) => [pointer.replace(/^#/, ''), detail]));
      if (found.size > 0) complain(found);
    },
  });
  const run = (): void => {
    if (start.isPending || !isReady) return;
    const early = complaintsOf(fields, values);
    const input = inputOf(fields, values);
    const found = early.size > 0 ? early : judge(parameters, input);
    complain(found);
    // The form stays as it is when the address names the new execution.
    if (typed === null) setTyped(values);
    if (found.size === 0) start.mutate(writeExact(input, 0));
  };
  useHotkeys([['mod+Enter', run]], []);
  const mayHaveExample = (detail.data?.sourceBytes ?? Infinity) <= LARGEST_SOURCE && detail.data?.build !== undefined;
  const example = useMutation({
    async mutationFn() {
      const [source, { exampleIn }] = await Promise.all([
        acting.platform.downloadSource({ serviceId, version }),
        import('../../forms/example.ts'),
      ]);
      return exampleIn(new Uint8Array(await source.arrayBuffer()));
    },
    onSuccess(found) {
      if (found === null) return;
      change(found);
      setRevision(filled + 1);
    },
  });
  const change = (next: Values): void => {
    setTyped(next);
    if (complaints.size > 0) setComplaints(NONE);
  };
  return (
    <section className="panel stack" aria-label="Input" data-draft>
      <div className="row apart">
        <h2>Input</h2>
        <div className="row">
          <NativeSelect
            size="xs"
            aria-label="Version"
            data={[...versions]}
            value={version}
            onChange={(event) => onVersion(event.currentTarget.value)}
            style={{ width: 160 }}
          />
          <SegmentedControl
            size="xs"
            aria-label="Way to write the input"
            value={shown}
            onChange={setView}
            data={[
              { value: 'form', label: 'Form', disabled: !hasForm },
              { value: 'json', label: 'JSON' },
              { value: 'code', label: 'Code' },
            ]}
          />
        </div>
      </div>
      {detail.error !== null && <Problem error={detail.error} onRetry={() => void detail.refetch()} />}
      {(detail.isPending || (detail.isSuccess && !isReady)) && <p className="quiet">Loading…</p>}
      {isReady && shown === 'form' && (
        <SchemaForm key={revision} fields={fields} values={values} onChange={change} complaints={complaints} />
      )}
      {isReady && shown === 'json' && <JsonInput key={revision} values={values} onChange={change} hasForm={hasForm} />}
      {isReady && shown === 'code' && <Snippets name={name} version={version} input={inputOf(fields, values)} />}
      {executionId !== null && typed === null && earlier.data === null && (
        <p className="quiet small">
          The input of this execution is not kept: it was longer than 64 KiB, or has expired.
        </p>
      )}
      {earlier.data && typed === null && fields.some(({ kind }) => kind === 'secret') && (
        <p className="quiet small">The input of this execution. Its secrets are never shown: type them again.</p>
      )}
      {mayHaveExample && (
        <div className="row small">
          <Button size="compact-xs" variant="default" loading={example.isPending} onClick={() => example.mutate()}>
            Fill in the example
          </Button>
          <span className="quiet" role="status">
            {example.data === null
              ? 'The source has no folder input with an example.'
              : 'From the folder input of the source.'}
          </span>
        </div>
      )}
      {example.error && <Problem error={example.error} />}
      <Unplaced complaints={complaints} />
      {start.error && <Problem error={start.error} />}
      <div className="row">
        <Button leftSection={<Icon name="run" size={14} />} loading={start.isPending} disabled={!isReady} onClick={run}>
          Run
        </Button>
        <span className="small quiet">
          <kbd>Ctrl Enter</kbd>
        </span>
      </div>
    </section>
  );
}

/** Workflows and containers have no signature. Their OpenAPI document says what they take. */
function hasOnlyDocument(version: Detail['data']): boolean {
  if (version === undefined || version.parameters !== undefined) return false;
  return version.isShared === true || version.workflow !== undefined || version.apiSpecification !== undefined;
}

/** Complaints for which there is no input on the page. */
function Unplaced({ complaints }: { readonly complaints: Complaints }) {
  const [unplaced, setUnplaced] = useState<readonly (readonly [string, string])[]>([]);
  useEffect(() => {
    const pointers = new Set(
      [...document.querySelectorAll<HTMLElement>('[data-pointer]')].map((input) => input.dataset['pointer']),
    );
    setUnplaced([...complaints].filter(([pointer]) => !pointers.has(pointer)));
  }, [complaints]);
  if (unplaced.length === 0) return null;
  return (
    <ul className="field-error" role="alert">
      {unplaced.map(([pointer, text]) => (
        <li key={pointer}>
          <code>{pointer || 'input'}</code>: {text}
        </li>
      ))}
    </ul>
  );
}
