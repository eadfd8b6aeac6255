import { Type } from 'typebox';

/** The id is a subject of the identity provider; any text is allowed, and an unknown one is not found. */
export const userPath = Type.Object({ id: Type.String({ description: 'Subject of the identity provider.' }) });
