/** Replaces the text between two marks of a page. Throws when the page has no such marks. */
export function between(page: string, name: string, made: string): string {
  const begin = `<!-- Made by npm run generate: ${name} -->\n`;
  const end = `<!-- End of ${name} -->\n`;
  const [before, afterBegin = ''] = page.split(begin);
  const [, after] = afterBegin.split(end);
  if (after === undefined) throw new Error(`The page has lost the lines ${begin.trim()} and ${end.trim()}`);
  return `${before}${begin}\n${made}\n${end}${after}`;
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |\n`;
  return line(head) + `|${'---|'.repeat(head.length)}\n` + rows.map(line).join('');
}

function escaped(cell: string): string {
  return cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}
