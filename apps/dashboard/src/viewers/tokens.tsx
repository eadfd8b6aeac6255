import type { Token } from './code-tokens.ts';

/** Parts of a text, each with the colour of its kind. */
export function Tokens({ tokens }: { readonly tokens: readonly Token[] }) {
  return tokens.map(([kind, part], index) =>
    kind === 'plain' ? (
      part
    ) : (
      <span key={index} className={kind}>
        {part}
      </span>
    ),
  );
}
