import { escapeHtml as escape, PAGE_ICON, pageHeaders } from '../../../foundation/http/index.ts';

const STYLE = `
:root { color-scheme: light dark; --page: #f4f5f8; --card: #fff; --text: #1a1d29; --quiet: #5a6072; --line: #868ca0; --accent: #3d4edb; --on-accent: #fff; --error: #b3261e; --error-page: #fdecea; }
@media (prefers-color-scheme: dark) { :root { --page: #12141c; --card: #1c1f2b; --text: #eceef5; --quiet: #a7adc0; --line: #737a91; --accent: #aab4ff; --on-accent: #12141c; --error: #ffb4ab; --error-page: #3a1f1d; } }
* { box-sizing: border-box; }
body { overflow-wrap: anywhere; margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 24rem; padding: 2.25rem 2rem; background: var(--card); border-radius: 1rem; box-shadow: 0 1px 2px #0002, 0 12px 32px #0001; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0 0 1.5rem; color: var(--quiet); }
p.beside { margin-bottom: .375rem; font-size: .875rem; }
.links { margin: 1.5rem 0 0; text-align: center; }
a { color: var(--accent); }
.error { padding: .75rem 1rem; border-radius: .5rem; background: var(--error-page); color: var(--error); }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
input { width: 100%; margin-bottom: 1.25rem; padding: .625rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: transparent; color: inherit; font: inherit; }
button { width: 100%; padding: .75rem; border: 1px solid transparent; border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
.button { display: block; margin-top: 1.5rem; padding: .75rem; border: 1px solid var(--accent); border-radius: .5rem; color: var(--accent); font-weight: 600; text-align: center; text-decoration: none; }
button.quiet { margin-top: .75rem; background: transparent; color: var(--text); font-weight: 400; }
button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** A page without scripts, and the headers that forbid scripts. */
export interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Renders a page. `formTargets` are other origins to which the answer to a form may redirect. */
export function page(title: string, content: string, formTargets: readonly string[] = []): Page {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Kethub</title>
${PAGE_ICON}
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
  return { html, headers: pageHeaders(STYLE, formTargets) };
}

/** Addresses to which the sign-in page links. */
export interface SignInLinks {
  /** Path below which the page of each sign-in is. */
  readonly signIn: string;
  /** Name of the upstream provider on its button; null for none. */
  readonly upstreamName: string | null;
  readonly forgotPassword: string;
  /** null if registration is closed. */
  readonly register: string | null;
}

interface SignInPage extends SignInLinks {
  readonly action: string;
  /** Initial value of the field for the name. */
  readonly name: string;
  readonly error: string | null;
  /** Origin of the redirect address, to which the person goes afterwards. */
  readonly target: string;
}

/** The form that asks for name and password. */
export function signInPage(asked: SignInPage): Page {
  const { action, name, error, target, upstreamName, forgotPassword, register } = asked;
  // The first empty field has the focus.
  const [nameFocus, passwordFocus] = name === '' ? [' autofocus', ''] : ['', ' autofocus'];
  const invalid = error === null ? '' : ' aria-invalid="true" aria-describedby="error"';
  const upstream =
    upstreamName === null
      ? ''
      : `\n<a class="button" href="${escape(action)}/upstream">Sign in with ${escape(upstreamName)}</a>`;
  const registering = register === null ? '' : ` · <a href="${escape(register)}">Register</a>`;
  const content = `<h1>Sign in</h1>
<p>with your Kethub account</p>
${error === null ? '' : `<p class="error" id="error" role="alert">${escape(error)}</p>`}
<form method="post" action="${escape(action)}">
<label for="username">Username or e-mail address</label>
<input id="username" name="username" value="${escape(name)}" autocomplete="username" autocapitalize="none" spellcheck="false" required${nameFocus}${invalid}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${passwordFocus}${invalid}>
<button name="decision" value="sign-in">Sign in</button>
<button class="quiet" name="decision" value="cancel" formnovalidate>Cancel</button>
</form>${upstream}
<p class="links"><a href="${escape(forgotPassword)}">Forgot your password?</a>${registering}</p>`;
  return page(error === null ? 'Sign in' : 'Sign in again', content, [target]);
}

/** Asks whether to sign out. `form` is the empty form that oidc-provider has made, with its CSRF token. */
export function signOutPage(form: string, target: string | null): Page {
  const buttons = `<button name="logout" value="yes" autofocus>Sign out</button>
<button class="quiet">Stay signed in</button></form>`;
  const content = `<h1>Sign out?</h1>
<p>You will have to sign in again to use Kethub in this browser.</p>
${form.replace('</form>', buttons)}`;
  return page('Sign out', content, target === null ? [] : [target]);
}

export function signedOutPage(): Page {
  return page(
    'Signed out',
    '<h1>Signed out</h1>\n<p>You can close this page.</p>\n<p class="links"><a href="/">The first page</a></p>',
  );
}

/** Explains to a person who has signed in why the account has no access yet; `next` is the address to continue. */
export function waitingPage(notice: string, next: string): Page {
  const content = `<h1>You are signed in</h1>
<p role="status">${escape(notice)}</p>
<a class="button" href="${escape(next)}">Continue</a>`;
  return page('Signed in', content);
}

/** Shows a person what went wrong and what to do. */
export function errorPage(detail: string): Page {
  const content = `<h1>This did not work</h1>
<p class="error" role="alert">${escape(detail)}</p>
<p>Go back to where you came from and begin again.</p>
<p class="links"><a href="/">The first page</a></p>`;
  return page('Error', content);
}
