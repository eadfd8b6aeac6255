export { organizationCatalog } from './catalog.ts';
export { lockOwnerShared } from './lock-owner.ts';
export { joinedOrganizations, roleIn } from './memberships.ts';
export { lockNewMember, requireNewMember } from './new-member.ts';
export { organizationEndpoints } from './routes.ts';
export { auditContext, isOwner, restrict, type Subject } from './shared-resource.ts';
export { requireNewOwner } from './transfer.ts';
export { InvitationMails } from './invitation-mails.ts';
export { newInvitation, noOpenInvitation, verifiedAddress } from './invitations.ts';
