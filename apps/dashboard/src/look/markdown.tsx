import { Fragment, type ReactNode } from 'react';
import { blocksOf, spansOf, type Block, type Span } from './markdown-blocks.ts';

/**
 * A text with Markdown as elements: headings, paragraphs, lists, quotes, code, emphasis and links to web pages. HTML in it
 * is shown as text, and pictures are not loaded, because the text is somebody else's.
 */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="markdown">
      {blocksOf(text).map((block, index) => (
        <OneBlock key={index} block={block} />
      ))}
    </div>
  );
}

function OneBlock({ block }: { readonly block: Block }) {
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
    default:
      return <p>{inline(block.text)}</p>;
  }
}

function inline(text: string): ReactNode {
  return spansOf(text).map((span, index) => <Fragment key={index}>{elementOf(span)}</Fragment>);
}

function elementOf(span: Span): ReactNode {
  switch (span.type) {
    case 'code':
      return <code>{span.text}</code>;
    case 'strong':
      return <strong>{span.text}</strong>;
    case 'emphasis':
      return <em>{span.text}</em>;
    case 'link':
      return (
        <a href={span.href} target="_blank" rel="noopener noreferrer nofollow">
          {span.text}
        </a>
      );
    default:
      return span.text;
  }
}
