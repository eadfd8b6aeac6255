import { BuildError } from './problem.ts';

/** White space as an engine sees it: for Go U+0085 is white space, for JavaScript it is not. */
const SPACE = String.raw`[\s\u0085]`;
const START = `^${SPACE}*(?:ONBUILD${SPACE}+)*`;
const lineOf = (pattern: string): RegExp => new RegExp(START + pattern, 'i');

const ADD = lineOf(`ADD(?:${SPACE}+(.*))?$`);
/** Flags, then paths and patterns: nothing that could be, or become, an address. */
const LOCAL_SOURCES = /^(--chown=[\w:.-]+\s+|--chmod=[0-7]+\s+)*[\w./*?\-+@\s[\]",]*$/;
const FROM = lineOf(`FROM(?:${SPACE}+(.*))?$`);
const BASE = /^(?:--platform=[\w./:${}-]+\s+)?([\w./:@${}+?-]+)(?:\s+AS\s+([\w.-]+))?\s*$/i;
const COPY = lineOf(`COPY(?:${SPACE}+(.*))?$`);
/** Flags without quotes and escapes, which engines would remove, then the first source on the same line. */
const COPIED = /^((?:--(?:chown|chmod|from)=[\w./:@-]+\s+)*)[^\s\u0085\\`-]/;
/** The index of a stage. A longer number would be looked up as an image. */
const STAGE_INDEX = /^\d{1,3}$/;
const MOUNT = /--mount.*from/i;
/** A line that ends within the name of an instruction, which the next line continues. */
const CUT_NAME = lineOf(`([a-z]+)[\\\\\`]${SPACE}*$`);
const NAMES = ['ADD', 'COPY', 'FROM', 'ONBUILD'];

/** Prefixes by which Podman names storage on its own machine. */
const TRANSPORTS = /^(?:containers-storage|dir|docker|docker-archive|docker-daemon|oci|oci-archive):/i;
const IMAGE_ID = /^(?:sha256:)?[0-9a-f]*$/i;
/**
 * Characters that occur in no image id and not in `sha256:`. A name with one of them cannot become an id through a
 * variable.
 */
const NEVER_IN_AN_ID = /[gi-rt-z._/-]/i;

/**
 * Refuses instructions that reach beyond the project. A prefix of an image id could name another owner's image at the
 * same engine. Where builds have no network, the engine itself would fetch addresses of ADD. Each line is judged by
 * itself, so that no kind of line continuation hides an instruction.
 * @throws BuildError naming the line.
 */
export function checkDockerfile(name: string, text: string, options: { network: boolean }): void {
  for (const [index, line] of text.split(/\r\n|[\n\r\u2028\u2029]/).entries()) {
    const problem = problemOf(line, options.network);
    if (problem !== null) throw new BuildError('dockerfile-refused', `${name}, line ${index + 1}: ${problem}`);
  }
}

function problemOf(line: string, network: boolean): string | null {
  const cut = CUT_NAME.exec(line)?.[1]?.toUpperCase();
  if (cut !== undefined && NAMES.some((one) => one.startsWith(cut)))
    return 'the name of an instruction and what follows it must stand on one line.';
  const added = ADD.exec(line);
  if (!network && added !== null && !LOCAL_SOURCES.test(added[1] ?? ''))
    return 'builds have no network, so ADD can only take files of the project, named on one line without variables. Use COPY.';
  const base = FROM.exec(line);
  if (base !== null) return problemOfBase(base[1] ?? '');
  const copied = COPY.exec(line);
  if (copied !== null) return problemOfCopy(copied[1] ?? '');
  if (MOUNT.test(line)) return 'RUN --mount cannot take files from other images. Use COPY --from.';
  return null;
}

function problemOfBase(operands: string): string | null {
  const [, image] = BASE.exec(operands) ?? [];
  if (image === undefined)
    return 'FROM, the image and AS must stand on one line, without quotes. A line of another instruction cannot begin with FROM: put it into a file.';
  return problemOfImage(image);
}

function problemOfCopy(operands: string): string | null {
  const [, flags] = COPIED.exec(operands) ?? [];
  if (flags === undefined)
    return 'COPY, its flags (--chown, --chmod, --from) and the first source must stand on one line, without quotes and variables in the flags.';
  for (const [, image = ''] of flags.matchAll(/--from=(\S+)/gi)) {
    const problem = STAGE_INDEX.test(image) ? null : problemOfImage(image);
    if (problem !== null) return problem;
  }
  return null;
}

/** Refuses names that can be an id: an engine accepts the shortest unique prefix of an id, whoever built the image. */
function problemOfImage(image: string): string | null {
  const literal = withoutVariables(image);
  if (TRANSPORTS.test(literal)) return `${image} names a place of the machine that builds. Name an image.`;
  if (literal.includes('$') || /[{}]/.test(literal)) return `the variables in ${image} cannot be read. Write \${NAME}.`;
  const isSafe = literal === image ? !IMAGE_ID.test(image) : NEVER_IN_AN_ID.test(literal);
  if (isSafe) return null;
  return `${image} can be the id of an image. Name an image with its tag (${literal || 'name'}:latest), outside of variables, and a stage with a letter beyond f.`;
}

function withoutVariables(image: string): string {
  const shorter = image.replaceAll(/\$\{[^{}$]*\}|\$\w+/g, '');
  return shorter === image ? image : withoutVariables(shorter);
}
