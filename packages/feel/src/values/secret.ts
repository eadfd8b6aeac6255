/**
 * A placeholder for a secret in expressions: it can be passed on and stored, and reveals nothing. Its text is
 * `[redacted]`, every comparison with it is null, and its JSON form names the field: `{"$secret": "field"}`.
 */
export class Secret {
  readonly field: string;

  constructor(field: string) {
    this.field = field;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): { $secret: string } {
    return { $secret: this.field };
  }
}
