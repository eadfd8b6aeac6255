import { tokensOf, type Token } from './code-tokens.ts';

/** Characters that are coloured; what follows is plain. */
const MOST = 50_000;

export function isQasm(text: string): boolean {
  return /^(?:\s|\/\/[^\n]*\n)*OPENQASM\s+[23]/.test(text.slice(0, 2_000));
}

/** The parts of an OpenQASM program, in order, each with its kind. */
export function qasmTokens(text: string): readonly Token[] {
  return tokensOf(text, 'qasm', MOST);
}
