// The pages in a real browser, as on a phone, in both languages: Chromium logs in and consents, and nothing may be blocked or loaded
// from elsewhere. Needs Debian's chromium.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createHash, randomBytes } from 'node:crypto';
import { chromium } from 'playwright-core';
import { SCOPES, check, endpoint, finish, origin, setting } from './flow.mjs';

const seenThere = [];
const back = createServer((ask, answer) => {
  seenThere.push(ask.headers.cookie ?? '');
  answer.setHeader('content-type', 'text/html');
  answer.end('<!doctype html><link rel="icon" href="data:,"><p id="back">back at the assistant</p>');
});
await new Promise((done) => back.listen(0, '127.0.0.1', done));
const LOOPBACK = `http://127.0.0.1:${back.address().port}/callback`, WEB = 'https://assistant.example/callback';

const register = async () => (await (await fetch(`${origin}/register`, { method: 'POST', headers: { 'content-type': 'application/json' },
  // The loopback URI has no port: the one that is used has another.
  body: JSON.stringify({ client_name: '助手 <b>& Co', redirect_uris: ['http://127.0.0.1/callback', WEB], token_endpoint_auth_method: 'none' }) })).json()).client_id;

const browser = await chromium.launch({ executablePath: setting.chromium ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });

async function walk(locale, { decision = 'allow', tick = [], untick = [], password = setting.password, redirect = LOOPBACK }) {
  const context = await browser.newContext({ locale, viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true,
    // Over TLS its certificate is one that the test made.
    ignoreHTTPSErrors: setting.certificate !== undefined });
  const page = await context.newPage(), complaints = [], hosts = new Set();
  page.setDefaultTimeout(10000);
  page.on('console', (m) => {
    // A browser asks for an icon by itself; there is none.
    if (['error', 'warning'].includes(m.type()) && !m.location().url.endsWith('/favicon.ico')) complaints.push(m.text());
  });
  page.on('pageerror', (e) => complaints.push(String(e)));
  // Nobody is at the assistant's on the web: that the browser goes there is what counts.
  page.on('requestfailed', (r) => r.url().startsWith(WEB) || complaints.push(`${r.url().split('?')[0]}: ${r.failure()?.errorText}`));
  page.on('request', (r) => { if (!r.url().startsWith('data:')) hosts.add(new URL(r.url()).host); });
  try {
    const verifier = randomBytes(32).toString('base64url'), state = randomBytes(12).toString('base64url'), client_id = await register();
    const url = new URL(`${origin}/authorize`);
    url.search = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: redirect, state, scope: SCOPES.join(' '),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256', resource: endpoint.href });
    await page.goto(url.href);
    const fits = async () => {
      await page.waitForLoadState('load');
      const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(wide <= room, `the page is ${wide} wide on a screen of ${room}`);
      const sizes = await page.locator('button, input:not([type=hidden]):not([type=checkbox]), label').evaluateAll((all) =>
        all.filter((e) => e.offsetParent).map((e) => [e.tagName, e.getBoundingClientRect().height, parseFloat(getComputedStyle(e).fontSize)]));
      for (const [tag, height, font] of sizes) assert.ok(font >= 14 && (tag === 'LABEL' || height >= 36), `${tag}: ${height} high, letters of ${font}`);
      assert.equal(await page.evaluate(() => document.documentElement.lang.slice(0, 2)), locale.slice(0, 2));
      // With no style at all nothing above would mean much.
      assert.ok(await page.evaluate(() => document.styleSheets.length > 0 && document.styleSheets[0].cssRules.length > 0), 'no style');
      assert.equal(await page.locator('script, iframe, object, [style], [onclick]').count(), 0);
    };
    await fits();
    const login = await page.innerText('body');
    await page.fill('input[name=password]', password);
    await page.locator('button[type=submit], input[type=submit], form button').first().click();
    if (password !== setting.password) {
      await page.waitForLoadState();
      assert.equal(await page.locator('input[name=password]').inputValue(), '');
      return { login, text: await page.innerText('body'), complaints: complaints.filter((c) => !/status of (401|403|429)/.test(c)) };
    }
    await page.waitForSelector('[name=decision]');
    await fits();
    const text = await page.innerText('body');
    const box = (v) => page.locator(`input[type=checkbox][value="${v}"]`);
    const before = Object.fromEntries(await page.locator('input[type=checkbox]').evaluateAll((all) => all.map((e) => [e.value, e.checked])));
    for (const v of tick) await box(v).check();
    for (const v of untick) await box(v).uncheck();
    const sent = page.waitForRequest((r) => r.url().startsWith(`${redirect}?`));
    await page.locator(`[name=decision][value=${decision}]`).click({ noWaitAfter: true });
    const at = new URL((await sent).url());
    assert.equal((await sent).headers().referer, undefined);
    if (redirect === LOOPBACK) await page.waitForSelector('#back');
    // Cookies know no ports: the assistant on this host would be sent the session's.
    assert.deepEqual(seenThere.filter((c) => c.includes('__Host-memories=')), []);
    assert.equal(at.searchParams.get('state'), state);
    assert.equal(at.searchParams.get('iss'), origin);
    let tokens;
    if (decision === 'allow') {
      const r = await fetch(`${origin}/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'authorization_code',
        code: at.searchParams.get('code'), client_id, redirect_uri: redirect, code_verifier: verifier }) });
      tokens = await r.json();
      assert.equal(r.status, 200);
      // The cookie is for the pages alone.
      const cookies = (await context.cookies(origin)).map((c) => `${c.name}=${c.value}`).join('; ');
      assert.ok(cookies.includes('__Host-'));
      assert.equal((await fetch(endpoint, { method: 'POST', headers: { cookie: cookies, 'content-type': 'application/json' }, body: '{}' })).status, 401);
    } else {
      assert.equal(at.searchParams.get('error'), 'access_denied');
      assert.equal(at.searchParams.get('code'), null);
    }
    assert.deepEqual([...hosts].filter((h) => ![new URL(origin).host, new URL(redirect).host].includes(h)), []);
    return { login, text, before, tokens, complaints };
  } catch (e) {
    e.message += ` [${complaints}]`;
    throw e;
  } finally {
    await context.close();
  }
}

for (const locale of ['en-US', 'zh-CN'])
  await check(`${locale}: login and consent, and back to the assistant`, async () => {
    const seen = await walk(locale, { untick: ['profile:correct'] });
    assert.deepEqual(seen.complaints, []);
    assert.ok(seen.text.includes('127.0.0.1'), 'the host that gets the code is not named');
    assert.ok(seen.text.includes('助手 <b>& Co'), `the name is not shown as it is: ${seen.text.slice(0, 300)}`);
    assert.equal(/[\u4e00-\u9fff]{4}/.test(seen.login), locale === 'zh-CN', seen.login.slice(0, 200));
    assert.equal(seen.before['context:search'], false, 'search was ticked');
    assert.equal(seen.before['profile:read'], true);
    assert.equal(seen.tokens.scope.includes('context:search'), false);
    assert.equal(seen.tokens.scope.includes('profile:correct'), false);
    assert.equal(seen.tokens.scope.includes('profile:read'), true);
  });
await check('what is ticked is given', async () =>
  assert.ok((await walk('en-US', { tick: ['context:search', 'profile:read', 'basic'] })).tokens.scope.split(' ').includes('context:search')));
await check('a click that was meant for the page before decides nothing', async () => {
  const context = await browser.newContext({ viewport: { width: 500, height: 1600 }, ignoreHTTPSErrors: setting.certificate !== undefined });
  const page = await context.newPage(), client_id = await register();
  const url = new URL(`${origin}/authorize`);
  url.search = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: LOOPBACK, scope: 'profile:read',
    code_challenge: createHash('sha256').update('v').digest('base64url'), code_challenge_method: 'S256' });
  await page.goto(url.href);
  await page.fill('input[name=password]', setting.password);
  await page.locator('form button').click();
  await page.waitForURL('**/consent?**', { waitUntil: 'load' });
  // Within the page, so that the clock of this script does not count.
  const [early, late] = await page.evaluate(async () => {
    const button = document.querySelector('[value=allow]'), animations = button.closest('div').getAnimations();
    const at = (ms) => { for (const a of animations) a.currentTime = ms; return getComputedStyle(button).pointerEvents; };
    return [at(300), at(700)];
  });
  assert.deepEqual([early, late], ['none', 'auto']);
  await context.close();
});
await check('a denial', async () => assert.deepEqual((await walk('zh-CN', { decision: 'deny' })).complaints, []));
await check('an assistant on the web gets its code as well', async () => {
  const seen = await walk('en-US', { redirect: WEB });
  assert.deepEqual(seen.complaints, []);
  assert.ok(seen.text.includes('assistant.example') && seen.tokens.access_token);
});
await check('a wrong password says so, and keeps nothing', async () => {
  const seen = await walk('en-US', { password: 'wrong password 1' });
  assert.notEqual(seen.text, seen.login);
  assert.deepEqual(seen.complaints, []);
});
await browser.close();
back.close();
finish();
