import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { fileQuery, type At } from '../../data/implementation-queries.ts';
import { Markdown } from '../../look/markdown.tsx';
import { Picture, pictureType } from './picture.tsx';
import { pathFrom } from './relative-path.ts';
import { searchOf, useImplementationAddress } from './use-implementation.ts';
import { useText } from './use-text.ts';

/** A README. Its relative links and pictures lead to the same branch of the repository. */
export function Readme({ at }: { readonly at: At }) {
  const { acting, implementationId } = useImplementationAddress();
  const text = useText(useQuery(fileQuery(acting, implementationId, at)).data);
  if (typeof text !== 'string') return null;
  return (
    <section className="panel" aria-label={at.path}>
      <h2 className="mono">{at.path}</h2>
      <RepositoryMarkdown text={text} at={at} />
    </section>
  );
}

/** The text of a Markdown file of the repository. */
export function RepositoryMarkdown({ text, at: { ref, path } }: { readonly text: string; readonly at: At }) {
  const { at: address } = useImplementationAddress();
  return (
    <Markdown
      text={text}
      resolve={({ text: label, address: relative, isPicture }) => {
        const target = pathFrom(path, relative);
        if (target === null) return null;
        if (isPicture) return pictureType(target) === null ? null : <Picture at={{ ref, path: target }} text={label} />;
        return (
          <Link to={`${address}/file`} search={searchOf({ ref, path: target })}>
            {label === '' ? target : label}
          </Link>
        );
      }}
    />
  );
}
