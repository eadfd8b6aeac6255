import { SegmentedControl, Textarea } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { writeExact } from '../../data/exact-json.ts';
import { languages, snippet, type Language } from '../../forms/snippets.ts';
import { isValues, jsonOf, Unfinished, type Values } from '../../forms/values.ts';
import { Code } from '../../look/parts.tsx';
import { useServiceAddress } from './use-service.ts';

/** The input as a JSON text. */
export function JsonInput({
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

/** The same call as a program. */
export function Snippets({
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

/** Half-typed values are left out of the JSON and the code. */
function withoutUnfinished(values: Values): Values {
  const members = Object.entries(values).flatMap(([name, value]): [string, unknown][] =>
    value instanceof Unfinished ? [] : [[name, isValues(value) ? withoutUnfinished(value) : value]],
  );
  return Object.fromEntries(members);
}
