import { Button, getDefaultZIndex, Modal } from '@mantine/core';

/** Attribute of an element in which Escape closes no dialog. */
const ESCAPE_STAYS = { 'data-mantine-stop-propagation': 'true' };

/** Says that the session has ended, above a screen that keeps what was typed. */
export default function SessionEnded({
  address,
  onClose,
}: {
  /** The sign-in page, for another tab. */
  readonly address: string;
  readonly onClose: () => void;
}) {
  return (
    <Modal
      opened
      onClose={onClose}
      title="Your session has ended"
      lockScroll={false}
      closeOnClickOutside={false}
      // Every dialog listens for Escape by itself. In this one it closes nothing, or the dialog below would go as well.
      closeOnEscape={false}
      attributes={{ content: ESCAPE_STAYS, close: ESCAPE_STAYS }}
      // Above the dialog in which something has just been typed.
      zIndex={getDefaultZIndex('max')}
    >
      <div className="stack">
        <p style={{ margin: 0 }}>
          It was too old, or it was ended elsewhere. Sign in again in another tab, then come back here. What you have
          typed stays. If your account was switched off or deleted, the sign-in says so.
        </p>
        <Button {...ESCAPE_STAYS} component="a" href={address} target="_blank" rel="noopener">
          Sign in again
        </Button>
      </div>
    </Modal>
  );
}
