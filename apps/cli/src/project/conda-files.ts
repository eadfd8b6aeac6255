import path from 'node:path';
import { printable, type Output } from '../terminal/output.ts';
import { translateConda } from './conda.ts';
import { readIfThere } from './manifest-content.ts';

/**
 * The files that replace the conda environment of a folder: `requirements.txt` and `.python-version`, each unless it is
 * among the `existing` names. Reports what they hold and what is left out. Empty without an environment.
 */
export async function filesOfConda(
  output: Output,
  folder: string,
  existing: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const conda = await translateConda(folder);
  if (conda === null) return new Map();
  const { file, requirements, sameName, python, left } = conda;
  const note = (text: string) => output.note(printable(text, true));
  const leaveOut = (text: string) =>
    output.note(`${output.style.yellow('left out:')} ${printable(`${file}: ${text}`, true)}`);
  const made = new Map<string, string>();
  if (existing.has('requirements.txt')) {
    const counting = namesIn((await readIfThere(path.join(folder, 'requirements.txt'))) ?? '');
    for (const line of requirements.filter((one) => namesIn(one).some((name) => !counting.includes(name))))
      leaveOut(`${line}: requirements.txt counts, and does not name it`);
  } else {
    note(`${file} becomes a requirements.txt: ${requirements.join(', ') || 'nothing'}.`);
    if (sameName.length > 0)
      note(
        `Names of conda that PyPI is taken to share: ${sameName.join(', ')}. Where PyPI has another name, write that below "pip:".`,
      );
    made.set('requirements.txt', linesOf(requirements));
  }
  for (const entry of left) if (!(existing.has('requirements.txt') && OWN_REQUIREMENTS.test(entry))) leaveOut(entry);
  if (python === null || existing.has('.python-version')) return made;
  note(`${file} becomes a .python-version: ${python}.`);
  return made.set('.python-version', linesOf([python]));
}

/** The entry by which an environment includes the requirements.txt beside it. */
const OWN_REQUIREMENTS = /^pip: (?:-r|--requirement)[ =]?(?:\.\/)?requirements\.txt:/;

/** Names of the packages in lines of requirements, in the form by which PyPI compares them. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/^\s*([A-Za-z0-9][\w.-]*)/gm)].map(([, name = '']) =>
    name.toLowerCase().replaceAll(/[-_.]+/g, '-'),
  );
}

function linesOf(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
