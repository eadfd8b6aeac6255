/** An import has failed. The message is for the owner; it repeats nothing that the other server has sent. */
export class ImportFailure extends Error {}

/** The repository is larger than may be taken. */
export class TooLarge extends ImportFailure {
  constructor(bytes: number) {
    super(
      `The repository is larger than the ${Math.floor(bytes / 1024)} KiB that are left in this repository and for its owner.`,
    );
  }
}

/** Texts of Git and of libcurl, and what they mean to the owner. The first that fits counts. */
const MEANINGS: readonly (readonly [pattern: RegExp, text: string])[] = [
  [
    /HTTP code 403 from proxy|response 403|CONNECT tunnel failed, response 403/i,
    'The server is at an address of a private network, which the operator has not opened to imports (KETHUB_IMPORT_NETWORKS).',
  ],
  [
    /HTTP code 50\d from proxy|CONNECT tunnel failed, response 50\d/i,
    'The server cannot be reached. Check the name in the address.',
  ],
  [
    /certificate|server verification failed|SSL: no alternative|handshake/i,
    'The connection to the server is not secure: it has no certificate that is trusted here, or not for this name.',
  ],
  [
    /unable to update url base from redirection|returned error: 30\d|redirect/i,
    'The server leads to another address. Give the address at which the repository is now.',
  ],
  [
    /Authentication failed|could not read (?:Username|Password)|returned error: 401/i,
    'The server asks for a user name and a password. Give a credential that may read the repository.',
  ],
  [/returned error: 403/i, 'The server refuses access. Give a credential that may read the repository.'],
  [
    /returned error: 404|repository .* not found/i,
    'The server has no such repository, or shows it only to those with a credential.',
  ],
  [/returned error: 429/i, 'The server answers that it was asked too often. Try again later.'],
  [/returned error: 5\d\d/i, 'The server has failed. Try again later.'],
  [
    /dumb http transport|not valid: (?:is this|could not determine)|expected flush|invalid server response|protocol error/i,
    'There is no repository at this address that Git can read by its smart protocol.',
  ],
  [
    /fsck error|index-pack.*fsck|in (?:tree|commit|tag|blob) [0-9a-f]{40}|object .* (?:contains|has)/i,
    'The repository holds objects that Git judges as damaged or unsafe (git fsck). Mend it at its origin.',
  ],
  [/Operation too slow|timed out|Timeout/i, 'The server was too slow.'],
];

/** Returns whether a process was ended because it wrote a file beyond its limit. */
export function isBeyondFileSize(message: string): boolean {
  return /File too large|died of signal 25/i.test(message);
}

/** Says what the end of Git's standard error means. */
export function meaningOf(message: string): ImportFailure {
  const found = MEANINGS.find(([pattern]) => pattern.test(message));
  return new ImportFailure(found?.[1] ?? 'The transfer broke off. Try again later.');
}
