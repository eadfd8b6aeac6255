import { useEffect, useRef, type ComponentProps, type ReactNode } from 'react';
import { isFocusLost } from '../look/return-focus.ts';

/**
 * A form that sends one request. While it is under way, the fields cannot be changed. Its answer closes the form or
 * shows what is saved now, and what is typed meanwhile would be lost.
 */
export function Form({
  request: { isPending },
  onSubmit,
  below,
  children,
  ...rest
}: Omit<ComponentProps<'form'>, 'onSubmit'> & {
  readonly request: { readonly isPending: boolean };
  readonly onSubmit: () => void;
  /** Content that can be used while the request is under way as well. */
  readonly below?: ReactNode;
}) {
  const last = useRef<HTMLElement>(null);
  // A browser takes the focus away from a field that cannot be changed.
  useEffect(() => {
    if (!isPending && isFocusLost() && last.current?.isConnected) last.current.focus({ preventScroll: true });
  }, [isPending]);
  return (
    <form
      {...rest}
      data-draft
      onFocus={({ target }) => {
        last.current = target;
      }}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <fieldset className="bare" disabled={isPending}>
        {children}
      </fieldset>
      {below}
    </form>
  );
}
