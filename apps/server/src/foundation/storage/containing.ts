import { sql } from 'kysely';

/** The pattern of `like` for texts that contain this one. Its escape is a backslash. */
export function likeContaining(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** The condition that a column contains a text, in upper or lower case. */
export function containing(column: string, text: string) {
  const pattern = likeContaining(text.toLowerCase());
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape ${sql.lit('\\')}`;
}
