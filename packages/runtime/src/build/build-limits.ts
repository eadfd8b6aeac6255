/** Memory (bytes) and processors (cores) of every sandbox of a build. The platform promises them to each build. */
export const BUILD_SHARE = { memoryBytes: 2 ** 30, cpus: 1 } as const;
