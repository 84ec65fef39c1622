#include "gateway/json.h"
#include "gateway/json_write.h"
#include "gateway/oauth_client.h"
#include "gateway/oauth_hash.h"
#include "gateway/oauth_known.h"
#include "gateway/span.h"
#include "gateway/visible.h"
#include "mailbox/base64.h"
#include "mailbox/utf8.h"

#define PREFIX     "mc1."
#define PREFIX_LEN 4
#define MAC_LEN    32
#define MAC_CHARS  43

void
oauth_client_key(const struct key *web, struct key *out)
{
	derive(web, "memories/client-ids/v1", (struct span){ NULL, 0 }, out);
}

void
oauth_client_start(struct oauth_client *c)
{
	memset(c, 0, sizeof *c);
}

static bool
keep(struct oauth_client *c, struct span text, struct span *out)
{
	if (text.len > sizeof c->text - c->text_len)
		return false;
	if (text.len > 0)
		memcpy(c->text + c->text_len, text.p, text.len);
	*out = (struct span){ c->text + c->text_len, text.len };
	c->text_len += text.len;
	return true;
}

bool
oauth_client_set_name(struct oauth_client *c, struct span name)
{
	uint8_t shown[OAUTH_NAME_MAX];

	return keep(c, (struct span){ shown, oauth_client_name(name, shown) }, &c->name);
}

bool
oauth_client_add_redirect(struct oauth_client *c, struct span uri)
{
	return c->n_redirects < OAUTH_REDIRECTS_MAX && keep(c, uri, &c->redirects[c->n_redirects]) && ++c->n_redirects > 0;
}

size_t
oauth_client_name(struct span text, uint8_t out[OAUTH_NAME_MAX])
{
	size_t len = 0, kept = 0, n_chars = 0;
	uint32_t point;

	for (size_t i = 0, n; i < text.len && n_chars < OAUTH_NAME_CHARS_MAX; i += n) {
		if ((n = utf8_take(text.p + i, text.len - i, &point)) == 0)
			break;
		if (visible_hidden(point) || point == '\n' || point == '\t' || (point == ' ' && len == 0))
			continue;
		memcpy(out + len, text.p + i, n);
		len += n;
		n_chars++;
		if (point != ' ')
			kept = len;
	}
	return kept;
}

static enum err
write_payload(const struct oauth_client *c, struct json_writer *w, struct span *out)
{
	json_write_object(w);
	if (c->name.len > 0)
		json_member_string(w, "n", c->name);
	json_write_key(w, "r");
	json_write_array(w);
	for (size_t i = 0; i < c->n_redirects; i++)
		json_write_string(w, c->redirects[i]);
	json_write_end(w);
	json_member_u64(w, "t", c->issued_s);
	json_write_end(w);
	return json_write_done(w, out);
}

/* Over the id up to the dot before it. */
static void
make_mac(const struct key *key, struct span signed_text, uint8_t out[MAC_LEN])
{
	keyed_tag(key, "memories/client-id/v1", signed_text, out);
}

size_t
oauth_client_write(struct oauth_client *c, const struct key *key, char out[OAUTH_CLIENT_ID_MAX + 1])
{
	struct json_writer w = { 0 };
	struct span payload;
	uint8_t mac[MAC_LEN];
	size_t len = 0;

	if (write_payload(c, &w, &payload) == OK &&
	    PREFIX_LEN + base64_len(payload.len) + 1 + MAC_CHARS <= OAUTH_CLIENT_ID_MAX) {
		memcpy(out, PREFIX, PREFIX_LEN);
		base64_encode(payload, out + PREFIX_LEN);
		len = PREFIX_LEN + base64_len(payload.len);
		make_mac(key, (struct span){ (uint8_t *)out, len }, mac);
		out[len++] = '.';
		base64_encode((struct span){ mac, sizeof mac }, out + len);
		len += MAC_CHARS;
		out[len] = '\0';
		oauth_hash((struct span){ (uint8_t *)out, len }, c->hash);
	}
	json_write_free(&w);
	return len;
}

/* The payload's text in *payload, when the MAC is ours. */
static bool
check(struct span id, const struct key *key, uint8_t *buf, struct span *payload)
{
	uint8_t sent[MAC_LEN + 3], mac[MAC_LEN];
	struct span body, tail;
	size_t len = 0;

	if (id.len > OAUTH_CLIENT_ID_MAX || id.len < PREFIX_LEN + 1 + MAC_CHARS || !span_starts(id, PREFIX))
		return false;
	tail = span_after(id, id.len - MAC_CHARS);
	body = (struct span){ id.p, id.len - MAC_CHARS - 1 };
	if (id.p[body.len] != '.' || base64_decode(tail, sent, &len) != OK || len != MAC_LEN)
		return false;
	make_mac(key, body, mac);
	if (!same_bytes(mac, sent, MAC_LEN) || base64_decode(span_after(body, PREFIX_LEN), buf, &len) != OK)
		return false;
	*payload = (struct span){ buf, len };
	return true;
}

static bool
take_members(const struct json *root, struct oauth_client *c)
{
	const struct json *list;
	struct span text;

	if (json_u64(root, "t", &c->issued_s) != JSON_GOT || json_array(root, "r", &list) != JSON_GOT)
		return false;
	if (json_string(root, "n", &text) == JSON_GOT && !oauth_client_set_name(c, text))
		return false;
	for (const struct json *v = json_first(list); v != NULL; v = json_next(v))
		if (!json_as_string(v, &text) || !oauth_client_add_redirect(c, text))
			return false;
	return c->n_redirects > 0;
}

bool
oauth_client_read(struct span id, const struct key *key, struct oauth_client *out)
{
	uint8_t buf[OAUTH_CLIENT_ID_MAX];
	struct json *root = NULL;
	struct span payload;
	bool known;

	oauth_client_start(out);
	if (span_starts(id, "https://"))
		known = oauth_known(id, out);
	else
		known = check(id, key, buf, &payload) && json_parse(payload, &root) == OK && take_members(root, out);
	json_free(&root);
	if (known)
		oauth_hash(id, out->hash);
	return known;
}

struct span
oauth_client_redirect(const struct oauth_client *c, struct span given)
{
	for (size_t i = 0; i < c->n_redirects; i++)
		if (span_same(c->redirects[i], given) && oauth_redirect_acceptable(given))
			return c->redirects[i];
	for (size_t i = 0; i < c->n_redirects; i++)
		if (oauth_redirect_matches(c->redirects[i], given))
			return c->redirects[i];
	return (struct span){ NULL, 0 };
}
