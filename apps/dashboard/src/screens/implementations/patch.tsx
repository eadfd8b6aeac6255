import type { ChangedFile } from '@kethub/contract';
import { useMemo } from 'react';
import { hasHiddenSigns, seenName } from './marked-lines.ts';
import { TableHead } from '../../look/parts.tsx';

/** Lines of a patch that are shown of one file. */
const MOST_LINES = 5_000;

interface Change {
  readonly files: readonly ChangedFile[];
  readonly patch: string;
  readonly isCut: boolean;
}

/** Changed files, and the lines that changed in each. */
export function Changes({ files, patch, isCut }: Change) {
  return (
    <>
      <section className="panel flush" aria-label="Changed files">
        <table className="list">
          <TableHead columns={['File', 'Change', 'Lines']} />
          <tbody>
            {files.map(({ path, formerPath, change, added, removed }) => (
              <tr key={path}>
                <td className="mono" style={{ overflowWrap: 'anywhere' }}>
                  {formerPath !== undefined && <span className="quiet">{seenName(formerPath)} → </span>}
                  {seenName(path)}
                </td>
                <td className="quiet">{change.toLowerCase().replaceAll('_', ' ')}</td>
                <td className="numbers">{added === undefined ? 'binary' : `+${added} −${removed ?? 0}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isCut && (
        <p className="quiet" style={{ margin: 0 }}>
          The change is too large to be shown whole. Clone the repository to see the rest.
        </p>
      )}
      {patch !== '' && <Patch text={patch} />}
    </>
  );
}

/** A unified diff by files. Added and removed lines begin with + and −, also for who does not see their colours. */
function Patch({ text }: { readonly text: string }) {
  const files = useMemo(() => text.split(/(?<=\n)(?=diff --git )/).filter((part) => part !== ''), [text]);
  return (
    <div className="stack" role="group" aria-label="Changes">
      {files.map((part, index) => (
        <FilePatch key={index} text={part} number={index + 1} />
      ))}
    </div>
  );
}

function FilePatch({ text, number }: { readonly text: string; readonly number: number }) {
  const lines = text.trimEnd().split('\n');
  const name = /^diff --git .* "?b\/(.+?)"?$/.exec(lines[0] ?? '')?.[1] ?? `file ${number}`;
  return (
    <pre className="code patch" tabIndex={0} role="region" aria-label={`Changes of ${name}, ${number}`}>
      {hasHiddenSigns(text) && <strong>These lines hold signs that change the direction of text.{'\n'}</strong>}
      {lines.slice(0, MOST_LINES).map((line, index) => (
        <span key={index} className={kindOf(line)}>
          {line}
          {'\n'}
        </span>
      ))}
      {lines.length > MOST_LINES && <em>{lines.length - MOST_LINES} more lines are not shown.</em>}
    </pre>
  );
}

function kindOf(line: string): string | undefined {
  if (line.startsWith('+') && !line.startsWith('+++')) return 'added';
  if (line.startsWith('-') && !line.startsWith('---')) return 'removed';
  return line.startsWith('@@') || line.startsWith('diff ') ? 'hunk' : undefined;
}
