/** The display name of a person, such as the name of a provider in the marketplace. */
export function personName({ firstname, lastname }: { readonly firstname: string; readonly lastname: string }): string {
  return `${firstname} ${lastname}`.trim();
}
