import { KethubError } from '@kethub/client';
import { Button, SegmentedControl, Select, Textarea } from '@mantine/core';
import { useHotkeys, useLocalStorage } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { writeExact } from '../../data/exact-json.ts';
import { rememberExecution, serviceQuery, versionQuery } from '../../data/queries.ts';
import { exampleIn } from '../../forms/example.ts';
import { fieldsOf } from '../../forms/schema.ts';
import { focusFirst, SchemaForm, type Complaints } from '../../forms/schema-form.tsx';
import { languages, snippet, type Language } from '../../forms/snippets.ts';
import { judge } from '../../forms/validate.ts';
import { complaintsOf, defaultsOf, inputOf, isValues, jsonOf, Unfinished, type Values } from '../../forms/values.ts';
import { Icon } from '../../look/icons.tsx';
import { Code } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { ExecutionPanel } from '../executions/execution-panel.tsx';
import { useServiceAddress } from './use-service.ts';

/** Bytes of a source that is loaded for its example. */
const LARGEST_SOURCE = 8 * 1024 * 1024;
const NONE: Complaints = new Map();

/** The run page: the input on one side, the execution on the other. The execution stands in the address. */
export function RunPage() {
  const { acting, serviceId, at } = useServiceAddress();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { version?: unknown; execution?: unknown };
  const service = useQuery(serviceQuery(acting, serviceId));
  const runnable = (service.data?.versions ?? []).filter(
    ({ build, state, workflow, target }) =>
      (state !== 'RETIRED' && target === undefined && build?.status === 'SUCCEEDED') ||
      (workflow !== undefined && state === 'PUBLISHED'),
  );
  const asked = typeof search.version === 'string' ? search.version : null;
  const chosen = runnable.find(({ version }) => version === asked)?.version ?? runnable[0]?.version ?? '';
  const executionId = typeof search.execution === 'string' ? search.execution : null;
  const go = (next: { readonly version?: string; readonly execution?: string }): void =>
    void navigate({ to: `${at}/run`, search: next });
  if (!service.data) return null;
  if (service.data.type === 'ON_PREMISE')
    return (
      <div className="panel empty">
        This service runs elsewhere, so it takes no jobs here. Applications call it at its address.
      </div>
    );
  if (chosen === '')
    return (
      <div className="panel empty">
        <p style={{ margin: 0 }}>No version of it can be run yet: the build goes on, or it has failed.</p>
        <Link to={`${at}/versions`}>Look at the build</Link>
      </div>
    );
  return (
    <div className="split">
      <Input
        key={chosen}
        name={service.data.name}
        version={chosen}
        versions={runnable.map(({ version, state }) => ({
          value: version,
          label: `${version} · ${state === 'DRAFT' ? 'draft' : 'published'}`,
        }))}
        onVersion={(version) => go({ version, ...(executionId !== null && { execution: executionId }) })}
        onStarted={(id) => go({ version: chosen, execution: id })}
      />
      {executionId === null ? (
        <div className="panel empty quiet">
          <p style={{ margin: 0 }}>
            Fill in the input and press Run. The log appears here while it runs, then the result.
          </p>
        </div>
      ) : (
        <ExecutionPanel
          id={executionId}
          more={
            <Button
              size="xs"
              variant="default"
              renderRoot={(props) => <Link to={`${acting.base}/executions/${executionId}`} {...props} />}
            >
              Full page
            </Button>
          }
        />
      )}
    </div>
  );
}

function Input({
  name,
  version,
  versions,
  onVersion,
  onStarted,
}: {
  readonly name: string;
  readonly version: string;
  readonly versions: readonly { readonly value: string; readonly label: string }[];
  readonly onVersion: (version: string) => void;
  readonly onStarted: (executionId: string) => void;
}) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const detail = useQuery(versionQuery(acting, serviceId, version));
  const parameters = useMemo(() => detail.data?.parameters ?? [], [detail.data]);
  const fields = useMemo(() => fieldsOf(parameters), [parameters]);
  const [typed, setTyped] = useState<Values | null>(null);
  const values = typed ?? defaultsOf(fields);
  const [view, setView] = useState('form');
  // Inputs that keep a text of their own are made anew when the values come from elsewhere.
  const [revision, setRevision] = useState(0);
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
    if (start.isPending || detail.isPending) return;
    const early = complaintsOf(fields, values);
    const input = inputOf(fields, values);
    const found = early.size > 0 ? early : judge(parameters, input);
    complain(found);
    if (found.size === 0) start.mutate(writeExact(input, 0));
  };
  useHotkeys([['mod+Enter', run]], []);
  const mayHaveExample = (detail.data?.sourceBytes ?? Infinity) <= LARGEST_SOURCE && detail.data?.build !== undefined;
  const example = useMutation({
    async mutationFn() {
      const source = await acting.platform.downloadSource({ serviceId, version });
      return exampleIn(new Uint8Array(await source.arrayBuffer()));
    },
    onSuccess(found) {
      if (found === null) return;
      change(found);
      setRevision(revision + 1);
    },
  });
  const change = (next: Values): void => {
    setTyped(next);
    if (complaints.size > 0) setComplaints(NONE);
  };
  return (
    <section className="panel stack" aria-label="Input">
      <div className="row apart">
        <h2>Input</h2>
        <div className="row">
          <Select
            size="xs"
            aria-label="Version"
            data={[...versions]}
            value={version}
            onChange={(next) => next !== null && onVersion(next)}
            allowDeselect={false}
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
      {detail.error && <Problem error={detail.error} onRetry={() => void detail.refetch()} />}
      {detail.isPending && <p className="quiet">Loading…</p>}
      {detail.isSuccess && shown === 'form' && (
        <SchemaForm key={revision} fields={fields} values={values} onChange={change} complaints={complaints} />
      )}
      {detail.isSuccess && shown === 'json' && (
        <JsonInput key={revision} values={values} onChange={change} hasForm={hasForm} />
      )}
      {detail.isSuccess && shown === 'code' && (
        <Snippets name={name} version={version} input={inputOf(fields, values)} />
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
        <Button
          leftSection={<Icon name="run" size={14} />}
          loading={start.isPending}
          disabled={!detail.isSuccess}
          onClick={run}
        >
          Run
        </Button>
        <span className="small quiet">
          <kbd>Ctrl Enter</kbd>
        </span>
      </div>
    </section>
  );
}

/** Complaints for which there is no input on the page. */
function Unplaced({ complaints }: { readonly complaints: Complaints }) {
  const [unplaced, setUnplaced] = useState<readonly (readonly [string, string])[]>([]);
  useEffect(() => {
    const places = new Set(
      [...document.querySelectorAll<HTMLElement>('[data-pointer]')].map((input) => input.dataset['pointer']),
    );
    setUnplaced([...complaints].filter(([pointer]) => !places.has(pointer)));
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

function JsonInput({
  values,
  onChange,
  hasForm,
}: {
  readonly values: Values;
  readonly onChange: (values: Values) => void;
  readonly hasForm: boolean;
}) {
  const [text, setText] = useState(() => writeExact(withoutUnfinished(values)));
  const [complaint, setComplaint] = useState<string | null>(null);
  const change = (next: string): void => {
    setText(next);
    const value = next.trim() === '' ? {} : jsonOf(next);
    if (isValues(value)) {
      setComplaint(null);
      onChange(value);
    } else setComplaint(value instanceof Unfinished ? value.complaint : 'The input is a JSON object: { … }.');
  };
  return (
    <Textarea
      label="Input as JSON"
      description={
        hasForm ? 'The same input as in the form.' : 'Members are the parameters, for example data and params.'
      }
      autosize
      minRows={8}
      maxRows={28}
      spellCheck={false}
      classNames={{ input: 'mono' }}
      value={text}
      error={complaint}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function Snippets({
  name,
  version,
  input,
}: {
  readonly name: string;
  readonly version: string;
  readonly input: Values;
}) {
  const { acting, serviceId } = useServiceAddress();
  const [language, setLanguage] = useLocalStorage<Language>({ key: 'kethub-language', defaultValue: 'curl' });
  const call = {
    origin: location.origin,
    serviceId,
    serviceName: name,
    version,
    organizationId: acting.organizationId,
    input: withoutUnfinished(input),
  };
  return (
    <div className="stack" style={{ gap: 8 }}>
      <SegmentedControl
        size="xs"
        aria-label="Language"
        value={language}
        onChange={(next) => setLanguage(languages.find((one) => one === next) ?? 'curl')}
        data={[...languages]}
      />
      <Code text={snippet(language, call)} label={`Call in ${language}`} />
    </div>
  );
}

/** What is half typed stands in no JSON and in no code. */
function withoutUnfinished(values: Values): Values {
  const members = Object.entries(values).flatMap(([name, value]): [string, unknown][] =>
    value instanceof Unfinished ? [] : [[name, isValues(value) ? withoutUnfinished(value) : value]],
  );
  return Object.fromEntries(members);
}
