import { BuildError } from './problem.ts';

/** Flags, then paths and patterns: nothing that could be, or become, an address. */
const LOCAL_SOURCES = /^(--chown=[\w:.-]+\s+|--chmod=[0-7]+\s+)*[\w./*?\-+@\s[\]",]*$/;
const ADD = /^\s*(?:ONBUILD\s+)?ADD(?:\s+(.*))?$/i;
/** A line that ends within the name of an instruction: the next one goes on with it. */
const CUT_NAME = /^\s*(?:ONBUILD\s+)?([a-z]+)[\\`]\s*$/i;
const NAMES = ['ADD', 'ONBUILD'];

/**
 * Refuses ADD from an address. Its content would be fetched by the engine itself, from wherever the engine reaches, whatever
 * network the build has. Judged line by line, so that no way to continue lines hides one.
 * @throws BuildError naming the line.
 */
export function checkDockerfile(name: string, text: string): void {
  for (const [index, line] of text.split(/\r\n|[\n\r\u2028\u2029]/).entries()) {
    const sources = ADD.exec(line);
    const cut = CUT_NAME.exec(line)?.[1]?.toUpperCase();
    const isHidden = cut !== undefined && NAMES.some((one) => one.startsWith(cut));
    if (!isHidden && (sources === null || LOCAL_SOURCES.test(sources[1] ?? ''))) continue;
    throw new BuildError(
      'dockerfile-refused',
      `${name}, line ${index + 1}: builds have no network, so ADD can only take files of the project, named on one line without variables. Use COPY.`,
    );
  }
}
