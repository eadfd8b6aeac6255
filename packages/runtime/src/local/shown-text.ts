/** Characters from which on a secret is searched for in the log: a shorter one may be part of a word by chance. */
const SECRET_LENGTH = 6;

/** Gives log lines the paths of the platform, and hides secrets that the program prints. */
export function shownText(sourceDir: string | null, secrets: readonly string[]): (text: string) => string {
  const hidden = secrets.filter((secret) => secret.length >= SECRET_LENGTH);
  return (text) =>
    hidden.reduce(
      (all, secret) => all.replaceAll(secret, '[redacted]'),
      sourceDir === null ? text : text.replaceAll(sourceDir, '/app'),
    );
}
