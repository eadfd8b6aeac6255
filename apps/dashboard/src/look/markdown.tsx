import { Fragment, type ReactNode } from 'react';
import { blocksOf, spansOf, type Block, type RelativeSpan, type Span } from './markdown-blocks.ts';

/** Makes an element of a relative link or picture; null where the address leads nowhere. */
type Resolve = (span: RelativeSpan) => ReactNode;

/**
 * A text with Markdown as elements: headings, paragraphs, lists, quotes, code, emphasis and links to web pages. HTML in it
 * is shown as text, and pictures of other servers are not loaded, because the text is somebody else's.
 */
export function Markdown({ text, resolve }: { readonly text: string; readonly resolve?: Resolve }) {
  const inline = (part: string): ReactNode => elementsOf(part, resolve);
  return (
    <div className="markdown">
      {blocksOf(text).map((block, index) => (
        <OneBlock key={index} block={block} inline={inline} />
      ))}
    </div>
  );
}

/** One line with code, emphasis and links, such as a description in a docstring. */
export function Line({ text }: { readonly text: string }) {
  return elementsOf(text.replaceAll('``', '`'), undefined);
}

function elementsOf(text: string, resolve: Resolve | undefined): ReactNode {
  return spansOf(text).map((span, index) => <Fragment key={index}>{elementOf(span, resolve)}</Fragment>);
}

function OneBlock({ block, inline }: { readonly block: Block; readonly inline: (text: string) => ReactNode }) {
  switch (block.type) {
    case 'heading':
      return block.level === 1 ? <h3>{inline(block.text)}</h3> : <h4>{inline(block.text)}</h4>;
    case 'code':
      return (
        <pre className="code" tabIndex={0}>
          {block.text}
        </pre>
      );
    case 'quote':
      return <blockquote>{inline(block.text)}</blockquote>;
    case 'list': {
      const items = block.items.map((item, index) => <li key={index}>{inline(item)}</li>);
      return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return (
        <div className="wide" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, index) =>
                  cell === '' ? <td key={index} /> : <th key={index}>{inline(cell)}</th>,
                )}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{inline(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    default:
      return <p>{inline(block.text)}</p>;
  }
}

function elementOf(span: Span, resolve: Resolve | undefined): ReactNode {
  switch (span.type) {
    case 'relative':
      return resolve ? (resolve(span) ?? span.text) : span.whole;
    case 'code':
      return <code>{span.text}</code>;
    case 'strong':
      return <strong>{span.text}</strong>;
    case 'emphasis':
      return <em>{span.text}</em>;
    case 'link':
      return (
        <a href={span.href} target="_blank" rel="noopener noreferrer nofollow">
          {span.text.trim() === '' ? span.href : span.text}
        </a>
      );
    default:
      return span.text;
  }
}
