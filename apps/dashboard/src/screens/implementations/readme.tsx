import type { RepositoryTree } from '@kethub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { fileQuery, SHOWN_BYTES, type At } from '../../data/implementation-queries.ts';
import { MARKDOWN_LENGTH } from '../../look/markdown-blocks.ts';
import { Markdown } from '../../look/markdown.tsx';
import { bytes } from '../../look/time.ts';
import { languageNamed, tokensOf } from '../../viewers/code-tokens.ts';
import { Tokens } from '../../viewers/tokens.tsx';
import { Picture, pictureType } from './picture.tsx';
import { pathFrom } from './relative-path.ts';
import { below, searchOf, useImplementationAddress } from './use-implementation.ts';
import { useText } from './use-text.ts';

/** The README of a folder; nothing without one. Its relative links and pictures lead to the same branch. */
export function Readme({ tree: { entries }, at: { ref, path } }: { readonly tree: RepositoryTree; readonly at: At }) {
  const { at: address } = useImplementationAddress();
  const entry = entries.find(({ type, name }) => (type === 'FILE' || type === 'LINK') && README.test(name));
  if (!entry) return null;
  const at = { ref, path: below(path, entry.name) };
  const size = entry.bytes ?? 0;
  const open = (
    <Link to={`${address}/file`} search={searchOf(at)}>
      {at.path}
    </Link>
  );
  if (entry.type === 'LINK') return <div className="panel quiet">{open} is a link to another file.</div>;
  if (size > SHOWN_BYTES)
    return (
      <div className="panel quiet">
        {open} has {bytes(size)}. Files of more than {bytes(SHOWN_BYTES)} are not shown.
      </div>
    );
  return <Rendered at={at} />;
}

const README = /^readme(?:\.md|\.markdown)?$/i;

function Rendered({ at }: { readonly at: At }) {
  const { acting, implementationId } = useImplementationAddress();
  const text = useText(useQuery(fileQuery(acting, implementationId, at)).data);
  if (text === undefined) return null;
  return (
    <section className="panel" aria-label={at.path}>
      <h2 className="mono">{at.path}</h2>
      {text === null ? <p className="quiet">It is no text in UTF-8.</p> : <RepositoryMarkdown text={text} at={at} />}
    </section>
  );
}

/** The text of a Markdown file of the repository. */
export function RepositoryMarkdown({ text, at: { ref, path } }: { readonly text: string; readonly at: At }) {
  const { at: address } = useImplementationAddress();
  return (
    <>
      <Markdown
        text={text}
        colour={coloured}
        resolve={({ text: label, address: relative, isPicture }) => {
          const target = pathFrom(path, relative);
          if (target === null) return null;
          if (isPicture)
            return pictureType(target) === null ? null : <Picture at={{ ref, path: target }} text={label} />;
          return (
            <Link to={`${address}/file`} search={searchOf({ ref, path: target })}>
              {label === '' ? target : label}
            </Link>
          );
        }}
      />
      {text.length > MARKDOWN_LENGTH && (
        <p className="quiet">Only its first {MARKDOWN_LENGTH.toLocaleString('en')} characters are rendered.</p>
      )}
    </>
  );
}

/** Characters of a block of code that are coloured. */
const COLOURED = 20_000;

function coloured(code: string, language: string): ReactNode {
  const known = languageNamed(language);
  return known === null ? code : <Tokens tokens={tokensOf(code, known, COLOURED)} />;
}
