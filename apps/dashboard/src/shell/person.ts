/** The first letters of the first two words of a name. */
export function initials(name: string): string {
  return name
    .split(/\s+/)
    .map(([first = '']) => first)
    .join('')
    .slice(0, 2)
    .toUpperCase();
}
