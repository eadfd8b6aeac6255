import { printable, type Output } from '../terminal/output.ts';
import { translateConda } from './conda.ts';

/**
 * The files that replace the conda environment of a folder: `requirements.txt`, and `.python-version` where it demands a
 * Python. Reports what they hold and what is left out. Empty without an environment, and when a `requirements.txt` is
 * among the `existing` names.
 */
export async function filesOfConda(
  output: Output,
  folder: string,
  existing: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  if (existing.has('requirements.txt')) return new Map();
  const conda = await translateConda(folder);
  if (conda === null) return new Map();
  const { file, requirements, sameName, python, left } = conda;
  const note = (text: string) => output.note(printable(text, true));
  note(`${file} becomes a requirements.txt: ${requirements.join(', ') || 'nothing'}.`);
  if (sameName.length > 0)
    note(
      `Names of conda that PyPI is taken to share: ${sameName.join(', ')}. Where PyPI has another name, write that below "pip:".`,
    );
  for (const entry of left) output.note(`${output.style.yellow('left out:')} ${printable(`${file}: ${entry}`, true)}`);
  const made = new Map([['requirements.txt', linesOf(requirements)]]);
  if (python === null || existing.has('.python-version')) return made;
  note(`${file} becomes a .python-version: ${python}.`);
  return made.set('.python-version', linesOf([python]));
}

function linesOf(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
