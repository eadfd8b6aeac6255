import { Problem } from '../../../foundation/http/index.ts';

/** An answer to a Git client that is not a success. Git shows the text, which is plain, to its user. */
export class GitRefusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text);
    this.status = status;
    this.headers = headers;
  }
}

const CHALLENGE = { 'www-authenticate': 'Basic realm="Kethub", charset="UTF-8"' };

/** 401, after which Git asks for a password. Also for what does not exist, so that names cannot be guessed. */
export function passwordNeeded(text: string): GitRefusal {
  return new GitRefusal(401, text, CHALLENGE);
}

/** A refusal in the words of a problem. */
export function refusalOf(error: Problem): GitRefusal {
  return new GitRefusal(error.status, error.message, error.status === 401 ? CHALLENGE : error.headers);
}

/** The refusal of a body beyond so many bytes. */
export function tooLarge(most: number): GitRefusal {
  return new GitRefusal(413, `A request may have at most ${most} bytes.`);
}
