import { Fragment, type ReactNode } from 'react';
import { blocksOf, type Block, type Item } from './markdown-blocks.ts';
import { spansOf, type RelativeSpan, type Span } from './markdown-spans.ts';

/** Makes an element of a relative link or picture; null where the address leads nowhere. */
type Resolve = (span: RelativeSpan) => ReactNode;
/** Makes elements of code in a language. */
type Colour = (code: string, language: string) => ReactNode;

interface Inside {
  readonly inline: (text: string) => ReactNode;
  readonly colour: Colour;
}

/**
 * A text with Markdown as elements: headings, paragraphs, lists, tables, quotes, code, emphasis and links to web pages.
 * HTML in it is shown as text, and pictures of other servers are not loaded, because the text is somebody else's.
 */
export function Markdown({
  text,
  resolve,
  colour = (code) => code,
}: {
  readonly text: string;
  readonly resolve?: Resolve;
  readonly colour?: Colour;
}) {
  const inline = (part: string): ReactNode => elementsOf(part, resolve);
  return (
    <div className="markdown">
      <Blocks blocks={blocksOf(text)} inside={{ inline, colour }} />
    </div>
  );
}

/** One line with code, emphasis and links, such as a description in a docstring. */
export function Line({ text }: { readonly text: string }) {
  return elementsOf(text, undefined);
}

function elementsOf(text: string, resolve: Resolve | undefined): ReactNode {
  return spansOf(text).map((span, index) => <Fragment key={index}>{elementOf(span, resolve)}</Fragment>);
}

function Blocks({ blocks, inside }: { readonly blocks: readonly Block[]; readonly inside: Inside }) {
  return blocks.map((block, index) => <OneBlock key={index} block={block} inside={inside} />);
}

function OneBlock({ block, inside }: { readonly block: Block; readonly inside: Inside }) {
  const { inline, colour } = inside;
  switch (block.type) {
    case 'heading':
      return block.level === 1 ? <h3>{inline(block.text)}</h3> : <h4>{inline(block.text)}</h4>;
    case 'code':
      return (
        <pre className="code tokens" tabIndex={0}>
          {colour(block.text, block.language)}
        </pre>
      );
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} inside={inside} />
        </blockquote>
      );
    case 'list': {
      const items = block.items.map((item, index) => <ListItem key={index} item={item} inside={inside} />);
      return block.isOrdered ? <ol start={block.first}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return <Table {...block} inline={inline} />;
    case 'rule':
      return <hr />;
    default:
      return <p>{inline(block.text)}</p>;
  }
}

function ListItem({ item: { isDone, blocks }, inside }: { readonly item: Item; readonly inside: Inside }) {
  const [first] = blocks;
  const below = first?.type === 'paragraph' ? blocks.slice(1) : blocks;
  return (
    <li className={isDone === null ? undefined : 'task'}>
      {isDone !== null && (
        <span aria-label={isDone ? 'done' : 'to do'} role="img">
          {isDone ? '☑ ' : '☐ '}
        </span>
      )}
      {first?.type === 'paragraph' && inside.inline(first.text)}
      <Blocks blocks={below} inside={inside} />
    </li>
  );
}

function Table({
  head,
  rows,
  inline,
}: Extract<Block, { type: 'table' }> & { readonly inline: (text: string) => ReactNode }) {
  return (
    // Its width may exceed that of the page.
    <div className="wide" tabIndex={0} role="region" aria-label={`Table of ${head[0] ?? ''}`}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) =>
              cell === '' ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col">
                  {inline(cell)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
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
}

function elementOf(span: Span, resolve: Resolve | undefined): ReactNode {
  switch (span.type) {
    case 'relative':
      return resolve ? (resolve(span) ?? span.text) : span.whole;
    case 'code':
      return <code>{span.text}</code>;
    case 'strong':
      return <strong>{elementsOf(span.text, resolve)}</strong>;
    case 'emphasis':
      return <em>{elementsOf(span.text, resolve)}</em>;
    case 'struck':
      return <del>{elementsOf(span.text, resolve)}</del>;
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
