import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type MouseEvent } from 'react';
import { languageOf, linesOf, tokensOf, type Token } from '../../viewers/code-tokens.ts';
import { Tokens } from '../../viewers/tokens.tsx';
import { markedLines } from './marked-lines.ts';

/** Lines of one block. Those far from the view are in the page as one text, so that the browser's search finds them. */
const BLOCK = 100;
/** Height of a line in pixels, as in implementations.css. */
const LINE_HEIGHT = 20;
/** Characters that are coloured; what follows is plain. */
const COLOURED = 300_000;

/** A text by lines with colours. The number of a line is a link to it; with Shift, to all lines from the marked one. */
export function Source({ text, path }: { readonly text: string; readonly path: string }) {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const marked = markedLines(hash);
  const lines = useMemo(() => {
    const language = languageOf(path);
    const whole = text.endsWith('\n') ? text.slice(0, -1) : text;
    return linesOf(language === null ? [['plain', whole]] : tokensOf(whole, language, COLOURED));
  }, [text, path]);
  const first = marked?.from ?? null;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (first !== null) box.current?.querySelector(`#L${first}`)?.scrollIntoView({ block: 'center' });
  }, [first, lines]);
  const mark = (event: MouseEvent): void => {
    const line = Number((event.target as HTMLElement).closest('a')?.dataset['line']);
    if (!(line > 0)) return;
    event.preventDefault();
    const from = event.shiftKey && marked ? Math.min(marked.from, line) : line;
    const to = event.shiftKey && marked ? Math.max(marked.to, line) : line;
    const chosen = from === to ? `L${from}` : `L${from}-L${to}`;
    void navigate({
      to: '.',
      search: (before: object) => before,
      hash: chosen,
      replace: true,
      hashScrollIntoView: false,
    });
  };
  const blocks = Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, index) => index * BLOCK);
  return (
    <div ref={box} className="source tokens" role="region" tabIndex={0} aria-label={path} onClick={mark}>
      {blocks.map((start) => (
        <Block
          key={start}
          start={start}
          lines={lines.slice(start, start + BLOCK)}
          marked={marked && marked.to > start && marked.from <= start + BLOCK ? marked : null}
        />
      ))}
    </div>
  );
}

function Block({
  start,
  lines,
  marked,
}: {
  readonly start: number;
  readonly lines: readonly (readonly Token[])[];
  readonly marked: { readonly from: number; readonly to: number } | null;
}) {
  const element = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(start === 0);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new IntersectionObserver(([seen]) => seen && setNear(seen.isIntersecting), {
      rootMargin: '1500px 0px',
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={element} className="block" style={{ height: lines.length * LINE_HEIGHT }}>
      {isNear || marked ? (
        lines.map((line, index) => {
          const number = start + index + 1;
          const isMarked = marked !== null && number >= marked.from && number <= marked.to;
          return (
            <div key={number} id={`L${number}`} className={isMarked ? 'line marked' : 'line'}>
              <a
                className="number-of-line"
                href={`#L${number}`}
                data-line={number}
                tabIndex={-1}
                aria-label={`Line ${number}`}
              />
              <code>
                <Tokens tokens={line} />
              </code>
            </div>
          );
        })
      ) : (
        <pre className="plain-block">{lines.map((line) => line.map(([, part]) => part).join('')).join('\n')}</pre>
      )}
    </div>
  );
}
