/** Normalizes a username or an email address: both are stored and compared in lower case. */
export function signInName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
