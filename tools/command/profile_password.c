/* profile passwd: the password of the pages, of which the daemon gets a verifier and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "escrow/terminal.h"
#include "tools/command/profile.h"

#define PASSWORD_LEN_MIN 8
#define PASSWORD_LEN_MAX 1024 /* bytes */

/*
 * The test setting holds only where the daemon was started for tests as well,
 * and so its status says that it is weakened.
 */
static enum err
is_for_tests(struct invocation *in, struct client *c, bool *out)
{
	static const char word[] = "test_kdf";
	union any_body answer;
	struct span words;
	enum err e;

	*out = false;
	if (getenv("MEMORIES_TEST_KDF") == NULL)
		return OK;
	if ((e = owner_call(in, c, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, MSG_STATUS, &answer)) != OK)
		return e;
	words = answer.status.weakened;
	*out = memmem(words.p, words.len, word, sizeof word - 1) != NULL;
	return OK;
}

/* Who may list the devices has sudo. */
static enum err
may_manage(struct invocation *in, struct client *c)
{
	union any_body answer;
	enum err e = client_certified(c);

	return e != OK ? e : owner_call(in, c, MSG_DEVICE_ASK, &(struct owner_ask_body){ { 0 } }, MSG_DEVICE, &answer);
}

enum err
profile_password_new(struct invocation *in, struct secret **out)
{
	enum err e = new_password_at(in, PROMPT_PAGES_PASSWORD, PROMPT_REPEAT_PAGES_PASSWORD, out);

	if (e == OK && secret_len(*out) >= PASSWORD_LEN_MIN && secret_len(*out) <= PASSWORD_LEN_MAX)
		return OK;
	secret_free(out);
	return e != OK ? e : invalid(in, "the password of the pages has 8 to 1024 bytes");
}

enum err
profile_password_offer(struct invocation *in, struct client *c, const struct secret *password)
{
	struct client_profile_want want = { .op = OP_PROFILE_CHANGE };
	char verifier[PASSWORD_VERIFIER_MAX];
	struct json_writer w = { 0 };
	struct profile_answer a;
	bool weak;
	enum err e;

	if ((e = is_for_tests(in, c, &weak)) != OK || (e = password_verifier(password, weak, verifier)) != OK)
		return e;
	profile_request(&w, "passwd");
	json_member_text(&w, "verifier", verifier);
	json_write_end(&w);
	wipe(verifier, sizeof verifier);
	if ((e = profile_ask(in, c, &want, &w, &a)) == OK)
		profile_answer_free(&a);
	return e;
}

enum err
run_profile_passwd(struct invocation *in)
{
	struct secret *password = NULL;
	struct client *c = NULL;
	enum err e;

	if ((e = owner_open(in, &c)) == OK && (e = may_manage(in, c)) == OK && (e = profile_check_open(in, c)) == OK &&
	    (e = profile_password_new(in, &password)) == OK)
		e = profile_password_offer(in, c, password);
	secret_free(&password);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}
