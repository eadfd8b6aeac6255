import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { CompletionNode } from './tree.ts';
import { zshScript } from './zsh.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type CompletedShell = (typeof shells)[number];

const makers: Readonly<Record<CompletedShell, (tree: readonly CompletionNode[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The script that makes a shell complete the words of `ket`. */
export function completionScript(shell: CompletedShell, tree: readonly CompletionNode[]): string {
  return makers[shell](tree);
}
