import { Modal } from '@mantine/core';
import { KEYS } from './keys-table.ts';

/** All keys of the frame. */
export default function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keys" lockScroll={false}>
      <dl className="facts">
        {KEYS.map(({ keys, does }) => (
          <div key={keys} style={{ display: 'contents' }}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
