#include <stddef.h>
#include <string.h>

#include "mailbox/words.h"

static const char *const kind_names[] = {
	[KIND_MEMORY] = "memory", [KIND_CARD] = "card", [KIND_FILE] = "file",
	[KIND_CREDENTIAL] = "credential",
};

static const char *const op_names[] = {
	[OP_NONE] = "none", [OP_LIST] = "list", [OP_HISTORY] = "history", [OP_READ] = "read",
	[OP_CREDENTIAL_BYTES] = "credential_bytes", [OP_VAULT_LIST] = "vault_list",
	[OP_WRITE_ASSET] = "write_asset", [OP_WRITE_NAME] = "write_name", [OP_DETAILS] = "details",
	[OP_LIST_DETAILS] = "list_details", [OP_SEARCH] = "search", [OP_PROPOSE] = "propose",
	[OP_PROPOSAL_LIST] = "proposal_list", [OP_PROPOSAL_READ] = "proposal_read",
	[OP_PROFILE_READ] = "profile_read", [OP_PROFILE_SEARCH] = "profile_search",
	[OP_PROFILE_PROPOSE] = "profile_propose", [OP_PROFILE_CORRECT] = "profile_correct",
	[OP_PROFILE_LIST] = "profile_list", [OP_PROFILE_CHANGE] = "profile_change",
};

static const char *const grant_type_names[] = {
	[GRANT_UNATTENDED] = "unattended", [GRANT_ORDINARY] = "ordinary",
	[GRANT_CONNECTION] = "connection",
};

static const char *const scope_names[SCOPE__COUNT] = {
	[SCOPE_READ] = "profile:read", [SCOPE_PROPOSE] = "profile:propose", [SCOPE_CORRECT] = "profile:correct",
	[SCOPE_SEARCH] = "context:search",
};

static const char *const category_names[CATEGORY__COUNT] = {
	[CATEGORY_BASIC] = "basic", [CATEGORY_PREFERENCE] = "preference", [CATEGORY_HABIT] = "habit",
	[CATEGORY_GOAL] = "goal", [CATEGORY_WORK_STUDY] = "work_study", [CATEGORY_HEALTH] = "health",
	[CATEGORY_RELATIONSHIP] = "relationship", [CATEGORY_UNCATEGORIZED] = "uncategorized",
};

static const char *const class_names[] = {
	[CLASS_ORDINARY] = "ordinary", [CLASS_PRIVATE] = "private", [CLASS_FILE] = "file",
	[CLASS_CREDENTIAL] = "credential",
};

static const char *const surface_names[] = {
	[SURFACE_NONE] = "none", [SURFACE_CLI] = "cli", [SURFACE_STDIO] = "stdio",
	[SURFACE_HTTP] = "http", [SURFACE_OWNER] = "owner",
};


#define NAME(table, v) \
	((unsigned)(v) < sizeof(table) / sizeof *(table) && (table)[v] != NULL ? (table)[v] : "?")

enum key_class
class_of(enum kind kind, bool is_private)
{
	switch (kind) {
	case KIND_FILE:
		return CLASS_FILE;
	case KIND_CREDENTIAL:
		return CLASS_CREDENTIAL;
	case KIND_MEMORY:
	case KIND_CARD:
		break;
	}
	return is_private ? CLASS_PRIVATE : CLASS_ORDINARY;
}

bool
kind_known(unsigned v)
{
	return v >= KIND_MEMORY && v <= KIND_CREDENTIAL;
}

bool
grant_type_known(unsigned v)
{
	return v == GRANT_UNATTENDED || v == GRANT_ORDINARY;
}

bool
op_known(unsigned v)
{
	return v > OP_NONE && v < OP__COUNT;
}

bool
op_is_profile(enum op op)
{
	return op >= OP_PROFILE_READ && op <= OP_PROFILE_CHANGE;
}

uint8_t
op_scopes(enum op op)
{
	switch ((unsigned)op) {
	case OP_PROFILE_READ:
		return 1u << SCOPE_READ;
	case OP_PROFILE_SEARCH:
		return 1u << SCOPE_READ | 1u << SCOPE_SEARCH;
	case OP_PROFILE_PROPOSE:
		return 1u << SCOPE_PROPOSE;
	case OP_PROFILE_CORRECT:
		return 1u << SCOPE_CORRECT;
	default:
		return 0;
	}
}

uint8_t
scopes_closed(uint8_t scopes)
{
	if ((scopes & 1u << SCOPE_READ) == 0)
		scopes &= (uint8_t)~(1u << SCOPE_SEARCH);
	return scopes;
}

bool
op_writes(enum op op)
{
	return op == OP_WRITE_ASSET || op == OP_WRITE_NAME || op == OP_PROPOSE;
}

bool
op_lists(enum op op)
{
	return op == OP_LIST || op == OP_LIST_DETAILS || op == OP_HISTORY || op == OP_VAULT_LIST || op == OP_SEARCH ||
	    op == OP_PROPOSAL_LIST || op_is_profile(op);
}

const char *
kind_name(enum kind k)
{
	return NAME(kind_names, k);
}

const char *
grant_type_name(enum grant_type t)
{
	return NAME(grant_type_names, t);
}

const char *
class_name(enum key_class c)
{
	return NAME(class_names, c);
}

const char *
op_name(enum op op)
{
	return NAME(op_names, op);
}

const char *
surface_name(enum surface s)
{
	return NAME(surface_names, s);
}

bool
kind_of_name(const char *name, enum kind *out)
{
	for (unsigned v = KIND_MEMORY; v <= KIND_CREDENTIAL; v++)
		if (strcmp(name, kind_names[v]) == 0) {
			*out = (enum kind)v;
			return true;
		}
	return false;
}

bool
class_of_name(const char *name, enum key_class *out)
{
	for (unsigned v = CLASS_ORDINARY; v < CLASS__COUNT; v++)
		if (strcmp(name, class_names[v]) == 0) {
			*out = (enum key_class)v;
			return true;
		}
	return false;
}

const char *
scope_name(enum scope s)
{
	return NAME(scope_names, s);
}

const char *
category_name(enum category c)
{
	return NAME(category_names, c);
}

/* The place of a name that has no end in a table; n: it is none of them. */
static size_t
place_of(const char *const *names, size_t n, const char *name, size_t len)
{
	size_t i = 0;

	while (i < n && (strlen(names[i]) != len || memcmp(names[i], name, len) != 0))
		i++;
	return i;
}

bool
scope_of_name(const char *name, size_t len, enum scope *out)
{
	size_t i = place_of(scope_names, SCOPE__COUNT, name, len);

	if (i < SCOPE__COUNT)
		*out = (enum scope)i;
	return i < SCOPE__COUNT;
}

bool
category_of_name(const char *name, size_t len, enum category *out)
{
	size_t i = place_of(category_names, CATEGORY__COUNT, name, len);

	if (i < CATEGORY__COUNT)
		*out = (enum category)i;
	return i < CATEGORY__COUNT;
}

const char *
http_phase_name(enum http_phase phase)
{
	switch (phase) {
	case HTTP_NEVER:
		return "never_enabled";
	case HTTP_OFF:
		return "off";
	case HTTP_LOCKED:
		return "locked";
	case HTTP_MAINTENANCE:
		return "maintenance";
	case HTTP_SERVES:
		return "serves";
	}
	return "?";
}

enum err
http_phase_error(enum http_phase phase)
{
	switch (phase) {
	case HTTP_SERVES:
		return OK;
	case HTTP_LOCKED:
		return ERR_LOCKED;
	case HTTP_MAINTENANCE:
		return ERR_MAINTENANCE;
	case HTTP_OFF:
	case HTTP_NEVER:
		break;
	}
	return ERR_PROFILE_OFF;
}
