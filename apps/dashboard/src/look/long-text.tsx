import { useState } from 'react';

/** Characters of a text that are shown at first. */
const MOST = 400;
/** Characters beyond that for which nobody has to ask. */
const SLACK = 100;

/** A text of any length: a long one begins with its first part, and is shown whole on demand. */
export function LongText({ children: text }: { readonly children: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= MOST + SLACK) return text;
  return (
    <>
      <span className={isWhole ? 'long-text' : undefined}>{isWhole ? text : `${text.slice(0, MOST)}…`}</span>{' '}
      <ShowAll of={text} isWhole={isWhole} onChange={setWhole} />
    </>
  );
}

/** The button that shows all of a long text, or less again. */
export function ShowAll({
  of: { length },
  isWhole,
  onChange,
}: {
  readonly of: string;
  readonly isWhole: boolean;
  readonly onChange: (isWhole: boolean) => void;
}) {
  return (
    <button
      type="button"
      className="text-button"
      aria-expanded={isWhole}
      onClick={(event) => {
        event.preventDefault();
        onChange(!isWhole);
      }}
    >
      {isWhole ? 'Show less' : `Show all ${length.toLocaleString('en')} characters`}
    </button>
  );
}
