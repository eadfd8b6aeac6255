const kinds: Readonly<Record<string, RegExp>> = {
  'a personal access token': /ket_pat_[0-9A-Za-z]{8}/,
  'a secret access key': /ket_sk_[0-9A-Za-z]{8}/,
  'a JSON web token': /eyJ[\w-]{8,}\.[\w-]{8,}/,
  'an e-mail address': /[^\s"'<>()=,;:/\\@]+(?:@|%40)[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/i,
  'an authorization header': /\b(?:bearer|basic)[ +:"]+[\w.~+/-]{8,}={0,2}/i,
  'a secret in an address': /[?&](?:[a-z_]*token|code|password|[a-z_]*secret|key)=[^&\s"]+/i,
  'a password in an address': /:\/\/[^\s/:@"]*:[^\s/@"]+@/,
  'a password of the tests': /correct[ +]horse|wrong-but-close|staple/i,
  'a member that holds a secret': /"[a-z_-]*(?:password|passwd|secret|cookie|authorization)"\s*:\s*"[^"]/i,
  'a problem that its endpoint does not name: add it to its problems in routes.ts': /"unnamedBy":"/,
  'a private key': /BEGIN [A-Z ]*PRIVATE KEY|"d"\s*:\s*"[\w-]{20,}"/,
};

/** The forbidden content of a log line: secrets and e-mail addresses. */
export function secretsIn(line: string): string[] {
  return Object.entries(kinds).flatMap(([kind, pattern]) => (pattern.test(line) ? [kind] : []));
}
