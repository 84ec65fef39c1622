// oauth4webapi, a strict judge of RFC 9728, 8414, 7591, 7636, 9207, 6749, 7009 and of the challenges of RFC 6750.
import assert from 'node:assert/strict';
import * as o from 'oauth4webapi';
import { REDIRECT, SCOPES, assertOverview, check, consent, endpoint, finish, origin, shareWithAll } from './flow.mjs';

const http = { [o.allowInsecureRequests]: true };
let as, client, tokens;

const initialize = (token) => o.protectedResourceRequest(token, 'POST', endpoint,
  new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_user_context', arguments: {} } }), http);

const challengeOf = async (promise) => {
  const e = await promise.then(() => assert.fail('no challenge'), (e) => e);
  assert.ok(e instanceof o.WWWAuthenticateChallengeError, String(e));
  assert.equal(e.cause.length, 1);
  assert.equal(e.cause[0].scheme, 'bearer');
  return [e.response.status, e.cause[0].parameters];
};

async function authorize(changes = {}, options = {}) {
  const verifier = o.generateRandomCodeVerifier(), state = o.generateRandomState();
  const url = new URL(as.authorization_endpoint);
  url.search = new URLSearchParams({ response_type: 'code', client_id: client.client_id, redirect_uri: REDIRECT, state,
    code_challenge: await o.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256', scope: SCOPES.join(' '),
    resource: endpoint.href, ...changes });
  return { verifier, parameters: o.validateAuthResponse(as, client, await consent(url, options), state) };
}

const redeem = async (one) => o.processAuthorizationCodeResponse(as, client,
  await o.authorizationCodeGrantRequest(as, client, o.None(), one.parameters, REDIRECT, one.verifier, http));

const refresh = async (token) => o.processRefreshTokenResponse(as, client,
  await o.refreshTokenGrantRequest(as, client, o.None(), token, http));

const refusedWith = (error) => (e) => e instanceof o.ResponseBodyError && e.error === error;

await check('the challenge leads to the metadata', async () => {
  const [status, c] = await challengeOf(initialize('mat_nobody'));
  assert.equal(status, 401);
  assert.equal(c.error, 'invalid_token');
  const rs = await o.processResourceDiscoveryResponse(endpoint, await o.resourceDiscoveryRequest(endpoint, http));
  assert.equal(new URL(c.resource_metadata).pathname, '/.well-known/oauth-protected-resource/mcp');
  assert.deepEqual(rs.authorization_servers, [origin]);
  const issuer = new URL(rs.authorization_servers[0]);
  as = await o.processDiscoveryResponse(issuer, await o.discoveryRequest(issuer, { algorithm: 'oauth2', ...http }));
});
await check('registration', async () => {
  client = await o.processDynamicClientRegistrationResponse(await o.dynamicClientRegistrationRequest(as,
    { client_name: 'Judge', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }, http));
  assert.equal(client.client_secret, undefined);
});
await check('a code, tokens, a call', async () => {
  tokens = await redeem(await authorize());
  assert.equal(tokens.expires_in, 600);
  shareWithAll();
  const r = await (await initialize(tokens.access_token)).json();
  assertOverview(JSON.parse(r.result.content[0].text));
});
await check('rotation, then a replay ends the family', async () => {
  const next = await refresh(tokens.refresh_token);
  assert.notEqual(next.refresh_token, tokens.refresh_token);
  assert.equal((await initialize(next.access_token)).status, 200);
  await assert.rejects(refresh(tokens.refresh_token), refusedWith('invalid_grant'));
  await assert.rejects(refresh(next.refresh_token), refusedWith('invalid_grant'));
  assert.equal((await challengeOf(initialize(next.access_token)))[0], 401);
});
await check('a second redemption ends what the first gave', async () => {
  const one = await authorize();
  const first = await redeem(one);
  await assert.rejects(redeem(one), refusedWith('invalid_grant'));
  assert.equal((await challengeOf(initialize(first.access_token)))[0], 401);
});
await check('revocation', async () => {
  const t = await redeem(await authorize());
  await o.processRevocationResponse(await o.revocationRequest(as, client, o.None(), t.refresh_token, http));
  assert.equal((await challengeOf(initialize(t.access_token)))[0], 401);
});
await check('a scope that is missing is challenged with all that the call needs', async () => {
  const t = await redeem(await authorize({}, { scopes: ['profile:read'] }));
  assert.equal(t.scope, 'profile:read');
  const call = o.protectedResourceRequest(t.access_token, 'POST', endpoint, new Headers({ 'content-type': 'application/json' }),
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_user_context', arguments: { query: 'x' } } }), http);
  const [status, c] = await challengeOf(call);
  assert.equal(status, 403);
  assert.equal(c.error, 'insufficient_scope');
  for (const s of ['profile:read', 'context:search']) assert.ok(c.scope.split(' ').includes(s), c.scope);
});
await check('a denial is an error with iss', async () => {
  const e = await authorize({}, { decision: 'deny' }).then(() => assert.fail('allowed'), (e) => e);
  assert.ok(e instanceof o.AuthorizationResponseError, String(e));
  assert.equal(e.error, 'access_denied');
});
await check('a scope that the server does not know is dropped', async () => {
  assert.equal((await redeem(await authorize({ scope: 'profile:read offline_access claudeai' }))).scope, 'profile:read');
});
finish();
