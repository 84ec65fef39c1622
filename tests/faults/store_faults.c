/*
 * faults_store DIR: lets every call that the store makes on its files go
 * wrong, one after the other: the n-th alone and all from the n-th on, until a
 * run passes in which nothing went wrong. After each the oracle looks at the
 * home. Also kills the run before each of its calls. The run is store_run's and
 * then, in a home of its own, remote_run's. Runs under the shim, whose
 * page is in FAULTS_PLAN; FAULTS_HOME is DIR. An interrupted call may be
 * made again, so EINTR comes once only.
 *
 * One line a violation and one a kind of fault; exit 1 when there was one.
 * FAULTS_STEP s tries every s-th call only.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escrow/secret.h"
#include "tests/faults/image.h"
#include "tests/faults/remote_run.h"
#include "tests/faults/shim_plan.h"
#include "tests/faults/store_run.h"

struct kind {
	const char      *name;
	unsigned         calls; /* bits */
	enum shim_action action;
	int              error;
};

#define BIT(c) (1u << (c))
#define ON_FILES (BIT(SHIM_WRITE) | BIT(SHIM_SYNC) | BIT(SHIM_OPEN) | BIT(SHIM_RENAME) | BIT(SHIM_UNLINK) | \
    BIT(SHIM_MKDIR) | BIT(SHIM_FALLOCATE) | BIT(SHIM_TRUNCATE) | BIT(SHIM_READ))
#define CHANGING (ON_FILES & ~BIT(SHIM_READ) & ~BIT(SHIM_OPEN) & ~BIT(SHIM_SYNC))

static const struct kind kinds[] = {
	{ "write EIO", BIT(SHIM_WRITE), SHIM_ERROR, EIO },
	{ "write ENOSPC", BIT(SHIM_WRITE), SHIM_ERROR, ENOSPC },
	{ "write EDQUOT", BIT(SHIM_WRITE), SHIM_ERROR, EDQUOT },
	{ "write EINTR", BIT(SHIM_WRITE), SHIM_ERROR, EINTR },
	{ "write short", BIT(SHIM_WRITE), SHIM_SHORT, 0 },
	{ "sync EIO", BIT(SHIM_SYNC), SHIM_ERROR, EIO },
	{ "sync ENOSPC", BIT(SHIM_SYNC), SHIM_ERROR, ENOSPC },
	{ "sync EIO, written", BIT(SHIM_SYNC), SHIM_LATE_SYNC, EIO },
	{ "open EMFILE", BIT(SHIM_OPEN), SHIM_ERROR, EMFILE },
	{ "open EIO", BIT(SHIM_OPEN), SHIM_ERROR, EIO },
	{ "open ENOSPC", BIT(SHIM_OPEN), SHIM_ERROR, ENOSPC },
	{ "rename EIO", BIT(SHIM_RENAME), SHIM_ERROR, EIO },
	{ "rename ENOSPC", BIT(SHIM_RENAME), SHIM_ERROR, ENOSPC },
	{ "unlink EIO", BIT(SHIM_UNLINK), SHIM_ERROR, EIO },
	{ "mkdir ENOSPC", BIT(SHIM_MKDIR), SHIM_ERROR, ENOSPC },
	{ "fallocate ENOSPC", BIT(SHIM_FALLOCATE), SHIM_ERROR, ENOSPC },
	{ "fallocate EIO", BIT(SHIM_FALLOCATE), SHIM_ERROR, EIO },
	{ "truncate EIO", BIT(SHIM_TRUNCATE), SHIM_ERROR, EIO },
	{ "read EIO", BIT(SHIM_READ), SHIM_ERROR, EIO },
	{ "mmap ENOMEM", BIT(SHIM_MMAP), SHIM_ERROR, ENOMEM },
	{ "malloc ENOMEM", BIT(SHIM_MALLOC), SHIM_ERROR, ENOMEM },
	{ "read-only", CHANGING, SHIM_ERROR, EROFS },
	{ "kill", ON_FILES, SHIM_KILL, 0 },
};

struct campaign {
	struct store_run  *run;    /* shared with the forked runs */
	struct remote_run *remote; /* likewise */
	bool               is_remote;
	struct shim_plan *plan;
	struct image     *base;
	char              dir[256];
	unsigned          step;
	unsigned          n_faults, n_bad;
};

static void
arm(struct shim_plan *p, const struct kind *k, unsigned n, bool from_then)
{
	p->armed = 0;
	p->processes = BIT(SHIM_CLIENT);
	p->calls = k->calls;
	p->action = k->action;
	p->error = (uint32_t)k->error;
	p->from_then = from_then;
	p->left = n;
	p->hits = 0;
	__atomic_store_n(&p->armed, 1, __ATOMIC_RELEASE);
}

/* Nothing is known yet. */
static void
forget(struct campaign *c, const struct kind *k)
{
	c->run->n_facts = c->run->known.n = 0;
	c->run->unlatched = c->run->internal = false;
	c->run->n_failed = k->calls == BIT(SHIM_SYNC) ? &c->plan->hits : NULL;
	memset(c->remote->begun, 0, sizeof c->remote->begun);
	memset(c->remote->done, 0, sizeof c->remote->done);
	c->remote->internal = c->remote->shows_otherwise = false;
}

/* How the forked run ended, as waitpid says it. */
static int
run_once(struct campaign *c, const struct kind *k, unsigned n, bool from_then)
{
	int status = -1;
	pid_t pid;

	forget(c, k);
	if ((pid = fork()) == 0) {
		alarm(20);
		arm(c->plan, k, n, from_then);
		if (c->is_remote)
			remote_run_go(c->remote);
		else
			store_run_go(c->run);
		c->plan->armed = 0;
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	c->plan->armed = 0;
	return status;
}

static void
complain(struct campaign *c, const struct kind *k, unsigned n, bool from_then, const char *why)
{
	c->n_bad++;
	printf("%s, call %u%s: %s\n", k->name, n, from_then ? " and all after it" : "", why);
}

/* What the run itself did and what it left. False: that is wrong, and why. */
static bool
holds(struct campaign *c, char why[ORACLE_WHY_MAX])
{
	struct expect x = { c->run->facts, c->run->n_facts };
	const char *wrong = NULL;

	if (c->run->unlatched)
		wrong = "the log went on after a failure";
	else if (c->run->internal || c->remote->internal)
		wrong = "a fault of the world was called a fault of ours";
	else if (c->remote->shows_otherwise)
		wrong = "the profile shows what was never committed";
	if (wrong != NULL)
		snprintf(why, ORACLE_WHY_MAX, "%s", wrong);
	return wrong == NULL && (c->is_remote ? remote_run_check(c->remote, why)
	    : oracle_check(c->run->home, &x, 1, &c->run->known, why));
}

/* False: the run went through without meeting call n, so there is nothing more to try. */
static bool
try_one(struct campaign *c, const struct kind *k, unsigned n, bool from_then)
{
	char why[ORACLE_WHY_MAX] = "";
	bool killed;
	int status;

	if (!image_build(c->base, (struct crash){ 0 }, c->is_remote ? c->remote->home : c->run->home)) {
		complain(c, k, n, from_then, "the home cannot be made");
		return false;
	}
	status = run_once(c, k, n, from_then);
	killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	if (k->action == SHIM_KILL ? !killed && c->plan->hits > 0 : status != 0) {
		snprintf(why, sizeof why, "the run ended with status %x", (unsigned)status);
		complain(c, k, n, from_then, why);
	} else if (!holds(c, why))
		complain(c, k, n, from_then, why);
	c->n_faults += c->plan->hits > 0;
	return c->plan->hits > 0;
}

static void
try_kind(struct campaign *c, const struct kind *k)
{
	unsigned was = c->n_faults, n = 0;

	for (unsigned from_then = 0; from_then < (k->action == SHIM_KILL || k->error == EINTR ? 1u : 2u); from_then++)
		for (n = 0; n < 100000 && try_one(c, k, n, from_then != 0); n += c->step)
			;
	printf("%-20s %5u faults\n", k->name, c->n_faults - was);
	fflush(stdout);
}

/* All kinds, or the one of that name, in that home. */
static bool
try_all(struct campaign *c, const char *home, const char *only)
{
	if ((c->base = image_new(home)) == NULL)
		return false;
	printf("%s:\n", home);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (only == NULL || strcmp(only, kinds[i].name) == 0)
			try_kind(c, &kinds[i]);
	image_free(c->base);
	return true;
}

static void *
share(size_t len, const char *path)
{
	int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | (path == NULL ? MAP_ANONYMOUS : 0), fd, 0);

	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

int
main(int argc, char **argv)
{
	const char *page = getenv("FAULTS_PLAN"), *step = getenv("FAULTS_STEP");
	struct campaign c = { .step = step != NULL ? (unsigned)atoi(step) : 1 };
	enum err e;

	if (argc < 2 || page == NULL || c.step == 0) {
		fprintf(stderr, "usage: FAULTS_PLAN=PAGE faults_store DIR [KIND]\n");
		return 2;
	}
	if ((c.run = share(sizeof *c.run, NULL)) == NULL || (c.remote = share(sizeof *c.remote, NULL)) == NULL ||
	    (c.plan = share(sizeof *c.plan, page)) == NULL)
		return 2;
	c.plan->armed = 0;
	snprintf(c.run->home, sizeof c.run->home, "%.200s/home", argv[1]);
	snprintf(c.remote->home, sizeof c.remote->home, "%.200s/remote", argv[1]);
	if ((e = secret_init(true)) != OK || (e = store_run_make(c.run)) != OK || (e = remote_run_make(c.remote)) != OK) {
		fprintf(stderr, "faults_store: no home to begin with: %s\n", err_code(e));
		return 2;
	}
	if (!try_all(&c, c.run->home, argc > 2 ? argv[2] : NULL))
		return 2;
	c.is_remote = true;
	if (!try_all(&c, c.remote->home, argc > 2 ? argv[2] : NULL))
		return 2;
	printf("%u faults, %u violations\n", c.n_faults, c.n_bad);
	return c.n_bad != 0;
}
