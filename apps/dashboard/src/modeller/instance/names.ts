/** Names of elements by id. An element without a name is not there. */
export type Names = ReadonlyMap<string, string>;
