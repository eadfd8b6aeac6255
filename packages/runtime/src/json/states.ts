/**
 * The grammar of JSON (RFC 8259) as a table: the next state for each state and byte. Besides it, the scanner keeps only
 * the open objects and arrays.
 */

/** States of a text between two bytes. */
export const STATE = {
  /** A value must follow. */
  VALUE: 0,
  /** After `,` in an object. */
  NAME: 1,
  /** After `{`: a name or the end. */
  FIRST_NAME: 2,
  /** After `[`: a value or the end. */
  FIRST_ELEMENT: 3,
  COLON: 4,
  /** After a value in an object or an array. */
  AFTER: 5,
  /** After the outermost value. */
  DONE: 6,
  STRING: 7,
  ESCAPE: 8,
  /** Four hexadecimal digits, 9 to 12. */
  HEX: 9,
  MINUS: 13,
  ZERO: 14,
  INTEGER: 15,
  POINT: 16,
  FRACTION: 17,
  EXPONENT: 18,
  EXPONENT_SIGN: 19,
  EXPONENT_DIGITS: 20,
  /** The remaining letters of `true`, `false` and `null`, 21 to 29. */
  TRUE: 21,
  FALSE: 24,
  NULL: 28,
  /** Final: no byte leads out of it. */
  REFUSED: 31,
} as const;

/** Transitions that do more than change the state. */
export const ACT = {
  OPEN_OBJECT: 64,
  OPEN_ARRAY: 65,
  CLOSE_OBJECT: 66,
  CLOSE_ARRAY: 67,
  COMMA: 68,
  COLON: 69,
  OPEN_NAME: 70,
  CLOSE_STRING: 71,
  /** The last letter of a word. */
  END_WORD: 72,
  /** The byte after a number. It is processed again. */
  END_NUMBER: 73,
  REFUSE: 74,
  /** The beginning of a string, number or word. Its first state is added. */
  BEGIN: 80,
} as const;

/** 1 for bytes inside a string that have no other meaning: no quote, no escape, no control character. */
export const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== 0x22 && byte !== 0x5c ? 1 : 0,
);

/** `table[(state << 8) | byte]`: the next state, or from 64 on an action. */
export const table = makeTable();

function makeTable(): Uint8Array {
  const made = new Uint8Array(32 << 8).fill(ACT.REFUSE);
  const set = (state: number, bytes: string, next: number): void => {
    for (const byte of Buffer.from(bytes, 'latin1')) made[(state << 8) | byte] = next;
  };
  const blank = ' \t\n\r';
  const digits = '0123456789';
  const between = [
    STATE.VALUE,
    STATE.FIRST_ELEMENT,
    STATE.FIRST_NAME,
    STATE.NAME,
    STATE.COLON,
    STATE.AFTER,
    STATE.DONE,
  ];
  for (const state of between) set(state, blank, state);
  for (const state of [STATE.VALUE, STATE.FIRST_ELEMENT]) {
    set(state, '{', ACT.OPEN_OBJECT);
    set(state, '[', ACT.OPEN_ARRAY);
    set(state, '"', ACT.BEGIN + STATE.STRING);
    set(state, '-', ACT.BEGIN + STATE.MINUS);
    set(state, '0', ACT.BEGIN + STATE.ZERO);
    set(state, '123456789', ACT.BEGIN + STATE.INTEGER);
    set(state, 't', ACT.BEGIN + STATE.TRUE);
    set(state, 'f', ACT.BEGIN + STATE.FALSE);
    set(state, 'n', ACT.BEGIN + STATE.NULL);
  }
  set(STATE.FIRST_ELEMENT, ']', ACT.CLOSE_ARRAY);
  set(STATE.FIRST_NAME, '}', ACT.CLOSE_OBJECT);
  for (const state of [STATE.FIRST_NAME, STATE.NAME]) set(state, '"', ACT.OPEN_NAME);
  set(STATE.COLON, ':', ACT.COLON);
  set(STATE.AFTER, ',', ACT.COMMA);
  set(STATE.AFTER, '}', ACT.CLOSE_OBJECT);
  set(STATE.AFTER, ']', ACT.CLOSE_ARRAY);
  plain.forEach((isPlain, byte) => {
    if (isPlain === 1) made[(STATE.STRING << 8) | byte] = STATE.STRING;
  });
  set(STATE.STRING, '"', ACT.CLOSE_STRING);
  set(STATE.STRING, '\\', STATE.ESCAPE);
  set(STATE.ESCAPE, '"\\/bfnrt', STATE.STRING);
  set(STATE.ESCAPE, 'u', STATE.HEX);
  for (let left = 0; left < 4; left++)
    set(STATE.HEX + left, '0123456789abcdefABCDEF', left === 3 ? STATE.STRING : STATE.HEX + left + 1);
  for (const state of [STATE.ZERO, STATE.INTEGER, STATE.FRACTION, STATE.EXPONENT_DIGITS])
    set(state, `${blank},]}`, ACT.END_NUMBER);
  set(STATE.MINUS, '0', STATE.ZERO);
  set(STATE.MINUS, '123456789', STATE.INTEGER);
  set(STATE.INTEGER, digits, STATE.INTEGER);
  for (const state of [STATE.ZERO, STATE.INTEGER]) set(state, '.', STATE.POINT);
  for (const state of [STATE.POINT, STATE.FRACTION]) set(state, digits, STATE.FRACTION);
  for (const state of [STATE.ZERO, STATE.INTEGER, STATE.FRACTION]) set(state, 'eE', STATE.EXPONENT);
  set(STATE.EXPONENT, '+-', STATE.EXPONENT_SIGN);
  for (const state of [STATE.EXPONENT, STATE.EXPONENT_SIGN, STATE.EXPONENT_DIGITS])
    set(state, digits, STATE.EXPONENT_DIGITS);
  word(set, STATE.TRUE, 'rue');
  word(set, STATE.FALSE, 'alse');
  word(set, STATE.NULL, 'ull');
  return made;
}

function word(set: (state: number, bytes: string, next: number) => void, first: number, letters: string): void {
  for (let index = 0; index < letters.length; index++)
    set(first + index, letters.charAt(index), index === letters.length - 1 ? ACT.END_WORD : first + index + 1);
}
