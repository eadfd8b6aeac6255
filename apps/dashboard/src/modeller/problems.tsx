import { useEffect } from 'react';
import type { Finding } from './check/protocol.ts';
import { useModelling } from './context.tsx';
import { nameOf } from './kit/words.ts';

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
      html.title = findings.map(({ message }) => message).join('\n');
      overlays.add(elementId, 'problem', { position: { top: -10, left: -10 }, html });
    }
    return () => overlays.remove({ type: 'problem' });
  }, [kit, checked]);
  const errors = checked?.findings.filter(({ isWarning }) => !isWarning).length ?? 0;
  return (
    <section className="problems" aria-label="Problems">
      <div className="row">
        <h2>Problems</h2>
        <span className={errors > 0 ? 'count bad' : 'count'}>{errors}</span>
        <span className="quiet small" role="status">
          {checked === null ? 'Checking…' : `checked as the platform will, in ${Math.ceil(checked.ms)} ms`}
        </span>
      </div>
      {checked?.findings.map((finding, at) => (
        <button key={at} type="button" className="problem-row" onClick={() => onSelect(finding)}>
          <span className="mono">{elementName(finding.elementId)}</span>
          <span className={finding.isWarning ? 'quiet' : ''}>
            {finding.isWarning && 'Warning: '}
            {finding.message}
          </span>
        </button>
      ))}
      {checked !== null && checked.findings.length === 0 && <p className="quiet small note">It can be deployed.</p>}
    </section>
  );

  function elementName(elementId: string | null): string {
    const drawn = elementId === null ? undefined : kit.service('elementRegistry').get(elementId);
    return drawn ? nameOf(drawn.businessObject) : (elementId ?? 'File');
  }
}
