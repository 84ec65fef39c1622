/*
 * sd_bus: libsystemd's D-Bus client, loaded when it is first wanted and by
 * those short processes alone that talk to a bus: no process that holds keys
 * has it, or what it drags in, in its memory.
 * Source: sd-bus(3); docs/decisions/0031-secret-service.md.
 */
#ifndef ESCROW_SD_BUS_H
#define ESCROW_SD_BUS_H

#include <systemd/sd-bus.h>

#include "mailbox/err.h"

#define SD_BUS_CALLS(CALL) \
	CALL(sd_bus_open_user) \
	CALL(sd_bus_open_system) \
	CALL(sd_bus_close_unref) \
	CALL(sd_bus_get_name_creds) \
	CALL(sd_bus_creds_get_unique_name) \
	CALL(sd_bus_creds_get_euid) \
	CALL(sd_bus_creds_unref) \
	CALL(sd_bus_message_new_method_call) \
	CALL(sd_bus_message_set_auto_start) \
	CALL(sd_bus_message_sensitive) \
	CALL(sd_bus_message_append) \
	CALL(sd_bus_message_append_array) \
	CALL(sd_bus_message_open_container) \
	CALL(sd_bus_message_close_container) \
	CALL(sd_bus_message_enter_container) \
	CALL(sd_bus_message_exit_container) \
	CALL(sd_bus_message_read) \
	CALL(sd_bus_message_read_array) \
	CALL(sd_bus_message_skip) \
	CALL(sd_bus_message_unref) \
	CALL(sd_bus_call) \
	CALL(sd_bus_error_free) \
	CALL(sd_bus_match_signal) \
	CALL(sd_bus_process) \
	CALL(sd_bus_wait)

/* Its functions, by their own names. */
struct sd_bus_calls {
#define CALL(name) __typeof__(name) *name;
	SD_BUS_CALLS(CALL)
#undef CALL
};

/* The library stays loaded. ERR_UNSUPPORTED: it is not there, or lacks one of them. */
enum err sd_bus_load(struct sd_bus_calls *out);

#endif
