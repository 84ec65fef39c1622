// openid-client, as a plain OAuth 2 client.
import assert from 'node:assert/strict';
import * as c from 'openid-client';
import { REDIRECT, check, consent, endpoint, finish, origin } from './flow.mjs';

const overview = (token) => fetch(endpoint, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_user_context","arguments":{}}}' });
let config, tokens;

await check('discovers and registers', async () => {
  config = await c.dynamicClientRegistration(new URL(origin), { client_name: 'Openid client', redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none' }, c.None(), { algorithm: 'oauth2', execute: [c.allowInsecureRequests] });
  assert.equal(config.serverMetadata().supportsPKCE(), true);
});
await check('a code grant', async () => {
  const pkceCodeVerifier = c.randomPKCECodeVerifier(), expectedState = c.randomState();
  const url = c.buildAuthorizationUrl(config, { redirect_uri: REDIRECT, scope: 'profile:read', state: expectedState, resource: endpoint.href,
    code_challenge: await c.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256' });
  const back = new URL(REDIRECT);
  back.search = await consent(url);
  tokens = await c.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState });
  assert.equal(tokens.scope, 'profile:read');
  assert.equal((await overview(tokens.access_token)).status, 200);
});
await check('a refresh, and then a revocation', async () => {
  const next = await c.refreshTokenGrant(config, tokens.refresh_token);
  assert.equal((await overview(next.access_token)).status, 200);
  await c.tokenRevocation(config, next.access_token);
  assert.equal((await overview(next.access_token)).status, 401);
  await assert.rejects(c.refreshTokenGrant(config, next.refresh_token), (e) => e.error === 'invalid_grant');
});
finish();
