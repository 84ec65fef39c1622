#include "mailbox/err.h"

struct row {
	const char *code;
	const char *sentence;
	const char *remedy;
	int         exit_code;
};

static const struct row rows[ERR__COUNT] = {
	[OK] = { "ok", "done", "nothing", 0 },
#define ERR(name, code, exit_code, sentence, remedy) \
	[ERR_##name] = { code, sentence, remedy, exit_code },
#include "mailbox/err.tbl.h"
#undef ERR
};

static const struct row *
row_of(enum err e)
{
	return &rows[(unsigned)e < ERR__COUNT ? e : ERR_INTERNAL];
}

const char *
err_code(enum err e)
{
	return row_of(e)->code;
}

const char *
err_text(enum err e)
{
	return row_of(e)->sentence;
}

const char *
err_remedy(enum err e)
{
	return row_of(e)->remedy;
}

int
err_exit(enum err e)
{
	return row_of(e)->exit_code;
}
