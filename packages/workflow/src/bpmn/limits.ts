/**
 * Limits of a workflow file; a file beyond one is refused. The largest workflow among the 831 files of the MIWG suite
 * has 500 elements.
 */
export const limits = {
  /** Characters of XML, and bytes before they are decoded. */
  xml: 2_000_000,
  /** XML elements, pictures of the diagram included. */
  xmlElements: 20_000,
  /** Declarations of namespaces times XML elements: a parser looks through them for every element. */
  namespaceLookups: 10_000_000,
  /** XML elements in each other. */
  xmlDepth: 100,
  /** Sub-processes in each other. */
  scopeDepth: 20,
  /** Flow nodes and sequence flows of all executable processes. */
  elements: 4_000,
  /** Characters of all expressions of a file: each is compiled when it is deployed. */
  expressions: 300_000,
  id: 255,
  /** Problems that are reported of one file. Further ones are dropped. */
  problems: 100,
  /** Characters of the Request Schema. */
  requestSchema: 256_000,
} as const;
