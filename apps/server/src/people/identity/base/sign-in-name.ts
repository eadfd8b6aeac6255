/** Usernames and e-mail addresses are kept and compared in lower case. */
export function signInName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
