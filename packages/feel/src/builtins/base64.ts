/** Bytes that become characters in one call: more arguments would overflow the stack. */
const PIECE = 8_192;

/** The UTF-8 bytes of a text in Base64. Half of a surrogate pair becomes U+FFFD. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary);
}

/**
 * The text of UTF-8 bytes in Base64, where padding may be missing. What is not UTF-8 becomes U+FFFD, and a character
 * that completes no byte is left out.
 */
export function fromBase64(base64: string): string {
  const digits = base64.replace(/=+$/, '');
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  const bytes = Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
