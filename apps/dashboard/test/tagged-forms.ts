import type { Locator, Page } from 'playwright-core';
import type { TestKethub } from '@kethub/server/testing/kethub';
import { listing } from '@kethub/server/testing/marketplace';

/** A form whose change sends the entity tag that it began with. */
export interface TaggedForm {
  readonly name: string;
  /** Screen that the form is on. */
  readonly address: string;
  /** Button that opens the form; none where the screen shows it. */
  readonly opens?: string;
  /** Label of the field in which is typed. */
  readonly label: string;
  readonly typed: string;
  /** Change of the same resource by somebody else. */
  readonly theirs: () => Promise<unknown>;
  /** Path that the page reads again when it is renewed. */
  readonly renewed: string;
  readonly save: string;
  /** Text of somebody else in the comparison. */
  readonly shows: string;
}

/** One form of each resource that is changed with its entity tag. The services are a draft and two published ones. */
export async function taggedForms(
  { client }: Pick<TestKethub, 'client'>,
  { draft, published, offered }: Readonly<Record<'draft' | 'published' | 'offered', string>>,
): Promise<readonly TaggedForm[]> {
  const VERSION = '1.0.0';
  const at = { serviceId: draft, version: VERSION };
  const target = { url: 'https://solver.example.org', credentials: null };
  const { id: remote } = await client.createService({ json: { type: 'ON_PREMISE', name: 'Elsewhere', target } });
  const { id: application } = await client.createApplication({ json: { name: 'Caller' } });
  const { id: pool } = await client.createDataPool({ json: { name: 'Graphs' } });
  const { id: group } = await client.createOrganization({ json: { name: 'Group' } });
  const { id: code } = await client.createImplementation({ json: { name: 'code' } });
  const push = (text: string) => {
    const body = new FormData();
    body.append('files', new Blob([text]), 'notes.txt');
    return client.commitToImplementation({ implementationId: code, body });
  };
  await push('first');
  await client.publishListing({ serviceId: offered, json: listing() });
  const recipient = { type: 'ORGANIZATION' as const, id: group };
  const share = await client.createShare({ serviceId: published, json: { recipient } });
  return [
    {
      name: 'configuration',
      address: `/me/services/${draft}/versions/${VERSION}`,
      label: 'CPU cores',
      typed: '2',
      theirs: () =>
        client.configureServiceVersion({
          ...at,
          json: { runtime: 'PYTHON_TEMPLATE', cpus: 1, memoryGb: 0.25, runTimeSeconds: 60 },
        }),
      renewed: `/services/${draft}/versions/${VERSION}`,
      save: 'Save',
      shows: '0.25',
    },
    {
      name: 'target',
      address: `/me/services/${remote}/versions/${VERSION}`,
      label: 'Address',
      typed: 'https://mine.example.org/',
      theirs: () =>
        client.setTarget({
          serviceId: remote,
          version: VERSION,
          json: { url: 'https://theirs.example.org/', timeoutSeconds: 60 },
        }),
      renewed: `/services/${remote}/versions/${VERSION}`,
      save: 'Save',
      shows: 'https://theirs.example.org/',
    },
    {
      name: 'name of a service',
      address: `/me/services/${draft}`,
      opens: 'Edit name and description',
      label: 'Description',
      typed: 'My description.',
      theirs: () => client.updateService({ serviceId: draft, json: { description: 'Their description.' } }),
      renewed: `/services/${draft}`,
      save: 'Save',
      shows: 'Their description.',
    },
    {
      name: 'dates of a share',
      address: `/me/services/${published}/sharing`,
      opens: 'Change the dates of Group',
      label: 'Until',
      typed: '2990-05-01T10:00',
      theirs: () =>
        client.changeShare({
          serviceId: published,
          shareId: share.id,
          json: { endDate: '2980-03-01 12:00:00' },
        }),
      renewed: `/services/${published}/shares`,
      save: 'Save',
      shows: '2980-03-01',
    },
    {
      name: 'retirement',
      address: `/me/services/${published}/versions`,
      opens: 'Retire',
      label: 'Cannot be started from',
      typed: '2990-05-01T10:00',
      theirs: () =>
        client.retireServiceVersion({
          serviceId: published,
          version: VERSION,
          json: { sunset: '2980-03-01T12:00:00.000Z' },
        }),
      renewed: `/services/${published}`,
      save: 'Announce',
      shows: '2980-03-01',
    },
    {
      name: 'offer',
      address: `/me/services/${offered}/listing`,
      opens: 'Change the offer',
      label: 'Summary',
      typed: 'My summary.',
      theirs: () =>
        client.publishListing({
          serviceId: offered,
          json: { ...listing(), summary: 'Their summary.' },
        }),
      renewed: `/services/${offered}/listing`,
      save: 'Save the offer',
      shows: 'Their summary.',
    },
    {
      name: 'name of an application',
      address: `/me/applications/${application}`,
      opens: 'Rename',
      label: 'Name',
      typed: 'Mine',
      theirs: () => client.renameApplication({ applicationId: application, json: { name: 'Theirs' } }),
      renewed: `/applications/${application}`,
      save: 'Save',
      shows: 'Theirs',
    },
    {
      name: 'data pool',
      address: `/me/data-pools/${pool}`,
      opens: 'Edit name and description',
      label: 'Description',
      typed: 'My graphs.',
      theirs: () => client.updateDataPool({ dataPoolId: pool, json: { description: 'Their graphs.' } }),
      renewed: `/data-pools/${pool}`,
      save: 'Save',
      shows: 'Their graphs.',
    },
    {
      name: 'name of an organization',
      address: `/org/${group}/organization`,
      opens: 'Rename',
      label: 'Name',
      typed: 'My group',
      theirs: () => client.renameOrganization({ organizationId: group, json: { name: 'Their group' } }),
      renewed: '/session',
      save: 'Save',
      shows: 'Their group',
    },
    {
      name: 'profile',
      address: '/me/profile',
      label: 'Position',
      typed: 'Mine',
      theirs: () => client.updateMe({ json: { currentPosition: 'Theirs' } }),
      renewed: '/session',
      save: 'Save',
      shows: 'Theirs',
    },
    {
      name: 'settings of an implementation',
      address: `/me/implementations/${code}/settings`,
      label: 'Description',
      typed: 'My code.',
      theirs: () => client.updateImplementation({ implementationId: code, json: { description: 'Their code.' } }),
      renewed: `/implementations/${code}`,
      save: 'Save',
      shows: 'Their code.',
    },
    {
      name: 'file of an implementation',
      address: `/me/implementations/${code}/edit?path=notes.txt`,
      label: 'Text',
      typed: 'mine',
      theirs: () => push('theirs'),
      renewed: `/implementations/${code}`,
      save: 'Commit to main',
      shows: 'theirs',
    },
  ];
}

/** The form in a page: its dialog where it has one. */
export function formIn(page: Page, { opens, address }: TaggedForm): Locator {
  return opens === undefined || address.endsWith('/listing') ? page.locator('main') : page.getByRole('dialog');
}
