import { useEffect, useState } from 'react';
import { ShowAll } from '../look/long-text.tsx';
import type { Finding } from './check/protocol.ts';
import { useModelling } from './context.tsx';
import { LONGEST_NAME, shortened, titleAt } from './kit/words.ts';

/** Characters of a message that a row shows; all of it is shown on demand. */
const LONGEST_MESSAGE = 300;
/** Messages in the title of a mark. */
const MOST_IN_TITLE = 5;

/** Problems and warnings of the file, as a list and as numbers at the elements. */
export function Problems({ onSelect }: { readonly onSelect: (finding: Finding) => void }) {
  const { kit, checked } = useModelling();
  useEffect(() => {
    const overlays = kit.service('overlays');
    const byElement = Map.groupBy(checked?.findings ?? [], ({ elementId }) => elementId);
    for (const [elementId, findings] of byElement) {
      if (elementId === null || !kit.service('elementRegistry').get(elementId)) continue;
      const html = document.createElement('div');
      html.className = findings.some(({ isWarning }) => !isWarning) ? 'problem-mark' : 'problem-mark warning';
      html.textContent = String(findings.length);
      // The outline says the same.
      html.ariaHidden = 'true';
      html.title = findings
        .slice(0, MOST_IN_TITLE)
        .map(({ message }) => shortened(message, LONGEST_NAME))
        .join('\n');
      overlays.add(elementId, 'problem', { position: { top: -10, left: -10 }, html });
    }
    return () => overlays.remove({ type: 'problem' });
  }, [kit, checked]);
  const errors = checked?.findings.filter(({ isWarning }) => !isWarning).length ?? 0;
  const warnings = (checked?.findings.length ?? 0) - errors;
  return (
    <section className="problems" aria-label="Problems">
      <div className="row">
        <h2>Problems</h2>
        <span className={errors > 0 ? 'count bad' : 'count'}>{errors}</span>
        <span className="quiet small">
          {checked === null ? 'Checking…' : `checked as the platform will, in ${Math.ceil(checked.ms)} ms`}
        </span>
        <span className="sr-only" role="status" aria-label="Number of problems">
          {checked === null ? '' : inWords(errors, warnings)}
        </span>
      </div>
      {checked?.findings.map((finding, at) => (
        <Row key={`${at} ${finding.message}`} finding={finding} onSelect={onSelect}>
          {finding.elementId === null ? 'File' : titleAt(kit, finding.elementId)}
        </Row>
      ))}
      {checked !== null && checked.findings.length === 0 && <p className="quiet small note">It can be deployed.</p>}
    </section>
  );
}

/** One problem, which leads to its element. A long one can be read whole. */
function Row({
  finding,
  onSelect,
  children: where,
}: {
  readonly finding: Finding;
  readonly onSelect: (finding: Finding) => void;
  readonly children: string;
}) {
  const [isWhole, setWhole] = useState(false);
  const { message, isWarning } = finding;
  const isLong = message.length > LONGEST_MESSAGE;
  return (
    <>
      <button type="button" className="problem-row" onClick={() => onSelect(finding)}>
        <span className="mono">{where}</span>
        <span className={isWarning ? 'quiet unspaced' : 'unspaced'}>
          {isWarning && 'Warning: '}
          {isLong ? shortened(message, LONGEST_MESSAGE) : message}
        </span>
      </button>
      {isLong && (
        <p className="problem-whole small">
          <ShowAll of={message} isWhole={isWhole} onChange={setWhole} />
          {isWhole && <span className="long-text unspaced">{message}</span>}
        </p>
      )}
    </>
  );
}

/** Numbers of problems and warnings, for those who hear them. */
function inWords(errors: number, warnings: number): string {
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
  if (errors + warnings === 0) return 'No problems.';
  return warnings === 0
    ? `${count(errors, 'problem')}.`
    : `${count(errors, 'problem')}, ${count(warnings, 'warning')}.`;
}
