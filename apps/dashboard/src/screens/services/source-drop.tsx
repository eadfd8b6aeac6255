import { Button } from '@mantine/core';
import { useRef, useState, type DragEvent } from 'react';
import { Icon } from '../../look/icons.tsx';
import { bytes } from '../../look/time.ts';
import { sourceOfDrop, sourceOfInput, type Source } from './source-files.ts';

/** Takes the source of a service: a folder or a file, dropped or chosen. */
export function SourceDrop({
  source,
  onSource,
}: {
  readonly source: Source | null;
  readonly onSource: (source: Source) => void;
}) {
  const [isOver, setOver] = useState(false);
  const [complaint, setComplaint] = useState<string | null>(null);
  const folder = useRef<HTMLInputElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const take = (reading: Promise<Source>): void => {
    setComplaint(null);
    reading.then(onSource, (error: unknown) => setComplaint(error instanceof Error ? error.message : String(error)));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    // The upload of another source is under way.
    if (file.current?.matches(':disabled') === true) return;
    take(sourceOfDrop(event.dataTransfer));
  };
  const chosen = (input: HTMLInputElement): void => {
    if (input.files && input.files.length > 0) take(sourceOfInput(input.files));
    input.value = '';
  };
  return (
    <div>
      <div
        className={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon name="upload" size={26} />
        {source ? (
          <div role="status">
            <strong>{source.file.name}</strong>
            <div className="quiet">
              {source.summary}, {bytes(source.file.size)}
            </div>
          </div>
        ) : (
          <div>
            <strong>Drop the folder of a service here</strong>
            <div className="quiet">or a ZIP of its content, or a BPMN file for a workflow</div>
          </div>
        )}
        <div className="row" style={{ justifyContent: 'center' }}>
          <Button variant="default" size="xs" onClick={() => folder.current?.click()}>
            Choose a folder
          </Button>
          <Button variant="default" size="xs" onClick={() => file.current?.click()}>
            Choose a file
          </Button>
        </div>
        <input
          ref={folder}
          type="file"
          hidden
          aria-label="Folder of the service"
          {...{ webkitdirectory: '' }}
          onChange={(event) => chosen(event.currentTarget)}
        />
        <input
          ref={file}
          type="file"
          hidden
          aria-label="ZIP or BPMN file"
          accept=".zip,.bpmn,.xml"
          onChange={(event) => chosen(event.currentTarget)}
        />
      </div>
      {complaint !== null && (
        <p className="field-error" role="alert">
          {complaint}
        </p>
      )}
    </div>
  );
}
