/** The ways in which `ket serve` runs code, the best one first; the last one is used only when it is asked for. */
export const serveModes = ['sandbox', 'namespace', 'paths', 'engine'] as const;
export type ServeMode = (typeof serveModes)[number];
