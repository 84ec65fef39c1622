// What every script here needs: the endpoint that it is to talk to, an owner who
// logs in and consents without a browser, and a count of checks.
//
//   node X.mjs '{"origin":…,"password":…,"owner":[PROGRAM, "--home", HOME],"fact":ID,"label":…,"folder":…}'
//
// Without "owner" nothing is shared, and no fact is looked for.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

export const setting = JSON.parse(process.argv[2] ?? '{}');
if (!setting.origin) {
  console.error('usage: SETTING_AS_JSON');
  process.exit(2);
}
export const origin = setting.origin, endpoint = new URL(origin + '/mcp');
export const SCOPES = ['profile:read', 'profile:propose', 'profile:correct', 'context:search'];
export const REDIRECT = 'http://127.0.0.1:7/callback';

let passed = 0, failed = 0;

export async function check(name, body) {
  try {
    await body();
    passed++;
  } catch (e) {
    failed++;
    console.log(`failed: ${name}: ${String(e?.message ?? e).slice(-1500)} (${e?.stack?.match(/\w+\.mjs:\d+/g)?.slice(0, 2)})`);
  }
}

export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}

function owner(...words) {
  const [program, ...first] = setting.owner;
  return JSON.parse(execFileSync(program, [...first, '--json', 'profile', ...words], { encoding: 'utf8' }));
}

// Shares the fact with every connection that there is.
export function shareWithAll() {
  if (!setting.owner) return;
  for (const c of owner('connection', 'list').connections)
    if (c.state === 'live') owner('share', setting.fact, '--connection', c.connection);
}

export function assertOverview(page) {
  assert.match(page.version, /^[0-9a-f]{64}$/);
  assert.equal(page.has_more, false);
  if (setting.owner) assert.deepEqual(page.facts.map((f) => f.label), [setting.label]);
}

// Pages and forms

const unescape = (s) => s.replace(/&(amp|lt|gt|quot|#39|#x27);/g,
  (m) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }[m] ?? "'"));

function attributesOf(tag) {
  const out = {};
  for (const [, name, , value] of tag.matchAll(/([a-z-]+)(="([^"]*)")?/g)) out[name] = unescape(value ?? '');
  return out;
}

function formOf(html) {
  const action = attributesOf(html.match(/<form\b([^>]*)>/)?.[1] ?? '').action;
  const fields = [], boxes = [];
  for (const [, tag] of html.matchAll(/<input\b([^>]*)>/g)) {
    const a = attributesOf(tag);
    if (a.type === 'checkbox') boxes.push([a.name, a.value]);
    else if (a.type !== 'submit') fields.push([a.name, a.value ?? '']);
  }
  return { action, fields, boxes };
}

// The owner's side of one authorization: gives the parameters that come back to the client.
export async function consent(url, { scopes = SCOPES, decision = 'allow', redirect = REDIRECT } = {}) {
  const cookies = new Map();
  const go = async (where, body) => {
    const headers = { 'accept-language': 'en', cookie: [...cookies].map((c) => c.join('=')).join('; ') };
    if (body) headers.origin = origin;
    const r = await fetch(where, { method: body ? 'POST' : 'GET', body, headers, redirect: 'manual' });
    for (const line of r.headers.getSetCookie()) cookies.set(...line.split(';')[0].split(/=(.*)/s).slice(0, 2));
    return r;
  };
  let at = new URL(url), body;
  for (let i = 0; i < 10; i++) {
    const r = await go(at, body);
    body = undefined;
    const location = r.headers.get('location');
    if (location) {
      const next = new URL(location, at);
      if (next.origin !== origin) {
        assert.equal(r.status, 303);
        assert.equal(next.href.split('?')[0], redirect);
        return next.searchParams;
      }
      at = next;
      continue;
    }
    const html = await r.text();
    assert.equal(r.status, 200, `${at.pathname} answers ${r.status}`);
    const { action, fields, boxes } = formOf(html);
    const login = fields.find(([name]) => name === 'password');
    if (login) login[1] = setting.password;
    const all = login ? fields : [...fields, ...boxes.filter(([n, v]) => n !== 'scope' || scopes.includes(v)), ['decision', decision]];
    body = new URLSearchParams(all);
    at = new URL(action, at);
  }
  throw new Error('the pages have no end');
}
