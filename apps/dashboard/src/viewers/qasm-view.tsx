import { CopyButton } from '../look/parts.tsx';
import { qasmTokens } from './qasm.ts';
import { Tokens } from './tokens.tsx';

/** A program of OpenQASM with its parts coloured. */
export function QasmView({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div style={{ position: 'relative' }}>
      <pre className="code tokens" tabIndex={0} aria-label={label}>
        <Tokens tokens={qasmTokens(text)} />
      </pre>
      <div style={{ position: 'absolute', top: 8, right: 8 }}>
        <CopyButton value={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
    </div>
  );
}
