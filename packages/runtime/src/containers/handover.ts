import { InputRefused } from './input-files.ts';

/** Where busybox of this machine is seen inside; statically linked, so that it runs in an image without anything. */
export const HELPER = '/.kethub/busybox';

/** Ends the helper when it was given nothing, or not all: the program has not run then. */
export const NOT_HANDED_OVER = 125;

/**
 * The command that a container starts with. It reads the lines of {@link handover} from its standard input and becomes the program. So
 * secrets are in no argument, no file and not in the engine's description of the container, which it keeps on its disk.
 */
export function commandWith(program: readonly string[]): string[] {
  const script = `eval "$(${HELPER} cat)"; exit ${NOT_HANDED_OVER}`;
  return [HELPER, 'sh', '-c', script, 'kethub', ...program];
}

/** For the standard input of {@link commandWith}: sets the variables, then becomes the program. */
export function handover(variables: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  return Buffer.from(`${lines.join('')}exec "$@"\n`);
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Variables of an execution that are held like secrets: `SECRET_` and the name of the parameter in upper case, split with
 * underscores where a capital begins a word (`myToken`: `SECRET_MY_TOKEN`, `api_token`: `SECRET_API_TOKEN`).
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
