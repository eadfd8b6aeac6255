/** The ways in which `ket serve` runs code, the best one first. */
export const serveModes = ['sandbox', 'namespace', 'paths'] as const;
export type ServeMode = (typeof serveModes)[number];
