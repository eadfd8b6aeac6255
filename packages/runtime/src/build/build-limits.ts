/** Memory and processors of every sandbox of a build, as bytes and cores: what the platform promises to a build. */
export const BUILD_SHARE = { memoryBytes: 2 ** 30, cpus: 1 } as const;
