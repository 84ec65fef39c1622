// The MCP SDKs' view of an application that keeps its tokens in memory.
import { randomBytes } from 'node:crypto';
import { REDIRECT, consent } from './flow.mjs';

export class Provider {
  constructor(options = {}) {
    this.options = options;
    this.kept = {};
    this.authorizations = 0;
  }
  get redirectUrl() { return this.options.redirect ?? REDIRECT; }
  get clientMetadata() {
    return { client_name: 'Peer', redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
  }
  state() { return this.kept.state = randomBytes(12).toString('base64url'); }
  clientInformation() { return this.kept.client; }
  saveClientInformation(client) { this.kept.client = client; }
  tokens() { return this.kept.tokens; }
  saveTokens(tokens) { this.kept.tokens = tokens; }
  saveCodeVerifier(verifier) { this.kept.verifier = verifier; }
  codeVerifier() { return this.kept.verifier; }
  discoveryState() { return this.kept.discovery; }
  saveDiscoveryState(discovery) { this.kept.discovery = discovery; }
  async redirectToAuthorization(url) {
    this.authorizations++;
    this.kept.asked = new URL(url);
    this.kept.back = await consent(url, this.options);
  }
  // The access token is no longer good, as after ten minutes.
  dropAccess() { this.kept.tokens = { ...this.kept.tokens, access_token: 'mat_' + randomBytes(32).toString('base64url') }; }
}
