/** A fixed offset from UTC in seconds, or the name of a zone of the IANA database. */
export type Zone = number | string;
