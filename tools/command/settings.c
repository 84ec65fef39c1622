/* library managed-by, device list, device remove, device add. */
#include <string.h>

#include "store/log_record.h"
#include "tools/command/command.h"

static enum err
set(struct invocation *in, enum log_config what, struct uuid id)
{
	struct setting_ask_body ask = { .what = (uint8_t)what, .id = id };
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = owner_call(in, c, MSG_SETTING_ASK, &ask, MSG_DONE, &answer);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}

enum err
run_library_managed_by(struct invocation *in)
{
	static const struct uuid none;

	if (strcmp(in->positionals[0], "center") == 0)
		return set(in, CONFIG_CENTER, none);
	if (strcmp(in->positionals[0], "NONE") == 0)
		return set(in, CONFIG_NO_CENTER, none);
	return invalid(in, "a library is managed by NONE or by center");
}

static enum err
set_device(struct invocation *in, enum log_config what)
{
	struct uuid id;
	enum err e = positional_id(in, 0, "DEVICE", &id);

	return e == OK ? set(in, what, id) : e;
}

enum err
run_device_remove(struct invocation *in)
{
	return set_device(in, CONFIG_DEVICE_REMOVED);
}

enum err
run_device_add(struct invocation *in)
{
	return set_device(in, CONFIG_DEVICE_ADDED);
}

static enum err
print_device_json(const struct device_body *d)
{
	char added[CLOCK_TEXT_LEN + 1];
	struct json_writer w = { 0 };

	clock_text((struct wall_ms){ d->added_wall_ms }, added);
	json_write_object(&w);
	json_write_key(&w, "devices");
	json_write_array(&w);
	json_write_object(&w);
	json_member_id(&w, "device", d->device);
	json_member_bool(&w, "local", true);
	json_member_bool(&w, "member", d->member);
	json_member_text(&w, "created_at", added);
	json_write_end(&w);
	json_write_end(&w);
	json_member_u64(&w, "offset", 0);
	json_write_key(&w, "next");
	json_write_null(&w);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
print_device(const struct device_body *d)
{
	char id[UUID_TEXT_LEN + 1], added[CLOCK_TEXT_LEN + 1];

	uuid_text(d->device, id);
	clock_text((struct wall_ms){ d->added_wall_ms }, added);
	return print_line("%s  %s  this device%s\n", id, added, d->member ? "" : ", removed");
}

enum err
run_device_list(struct invocation *in)
{
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = owner_call(in, c, MSG_DEVICE_ASK, &(struct owner_ask_body){ { 0 } }, MSG_DEVICE, &answer);
	client_close(&c);
	if (e != OK)
		return e;
	return in->json ? print_device_json(&answer.device) : print_device(&answer.device);
}
