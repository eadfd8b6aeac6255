import { Type } from 'typebox';

/** An id is whatever the identity provider has as subject; one that nobody has is not found. */
export const userPath = Type.Object({ id: Type.String({ description: 'Subject of the identity provider.' }) });
