import { useEffect, useState } from 'react';

/** The text of a file that is UTF-8; null for another one, undefined while it is read. */
export function useText(content: Blob | undefined): string | null | undefined {
  const [text, setText] = useState<string | null | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    setText(undefined);
    const read = async (): Promise<void> => {
      if (!content) return;
      const bytes = new Uint8Array(await content.arrayBuffer());
      if (!isOver) setText(textOf(bytes));
    };
    void read();
    return () => {
      isOver = true;
    };
  }, [content]);
  return text;
}

/** The text of bytes that are UTF-8; null for others. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null; // another encoding, or no text
  }
}
