import { InputRefused } from './input-files.ts';

/** Path of this machine's busybox in a container. It is statically linked, so that it runs in an empty image. */
export const HELPER = '/.kethub/busybox';

/** Exit code of the helper when the handover is missing or cut off. The program has not run then. */
export const NOT_HANDED_OVER = 125;

/**
 * The command that a container starts with. It reads the lines of {@link handover} from its standard input and then
 * becomes the program. So secrets are in no argument and no file, and not in the description of the container, which
 * the engine keeps on its disk.
 */
export function commandWith(program: readonly string[]): string[] {
  const script = `eval "$(${HELPER} cat)"; exit ${NOT_HANDED_OVER}`;
  return [HELPER, 'sh', '-c', script, 'kethub', ...program];
}

/** Lines for the standard input of {@link commandWith}: set the variables, then become the program. */
export function handover(variables: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  return Buffer.from(`${lines.join('')}exec "$@"\n`);
}

export function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Variables of an execution that are protected like secrets. A name is `SECRET_` and the parameter in upper case, with
 * an underscore where a capital begins a word (`myToken`: `SECRET_MY_TOKEN`, `api_token`: `SECRET_API_TOKEN`).
 * @throws InputRefused for a name that cannot become a variable, or two that become the same.
 */
export function secretVariables(secrets: Readonly<Record<string, string>>): Record<string, string> {
  const found = new Map<string, { of: string; value: string }>();
  for (const [parameter, value] of Object.entries(secrets)) {
    const name = secretVariable(parameter);
    const shown = JSON.stringify(parameter.slice(0, 100));
    if (!NAME.test(name) || value.includes('\0'))
      throw new InputRefused(
        value.includes('\0')
          ? `The secret ${shown} holds a zero byte, which an environment variable cannot.`
          : `The secret ${shown} cannot become an environment variable. Name it with letters, digits and underscores.`,
      );
    const other = found.get(name);
    if (other !== undefined)
      throw new InputRefused(`The secrets ${JSON.stringify(other.of)} and ${shown} both become ${name}. Rename one.`);
    found.set(name, { of: parameter, value });
  }
  return Object.fromEntries([...found].map(([name, { value }]) => [name, value]));
}

function secretVariable(parameter: string): string {
  const words = parameter.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2');
  return `SECRET_${words.toUpperCase()}`;
}
