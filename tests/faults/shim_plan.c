#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/faults/shim_plan.h"
#include "tests/faults/shim_record.h"

static struct shim_plan *plan;
static enum shim_process self;
static const char *home;

static enum shim_process
process_of(int argc, char **argv)
{
	static const struct {
		const char       *name;
		enum shim_process process;
	} daemons[] = { { "memories-audit", SHIM_AUDIT }, { "memories-core", SHIM_CORE }, { "memories-keyring", SHIM_KEYRING },
		{ "memories-profile", SHIM_PROFILE }, { "memories-http", SHIM_HTTP } };

	for (size_t i = 0; argc > 0 && i < sizeof daemons / sizeof *daemons; i++)
		if (strcmp(argv[0], daemons[i].name) == 0)
			return daemons[i].process;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "daemon") == 0)
			return SHIM_SUPERVISOR;
	return SHIM_CLIENT;
}

static __attribute__((constructor)) void
start(int argc, char **argv)
{
	const char *path = getenv("FAULTS_PLAN");
	void *page;
	long fd;

	self = process_of(argc, argv);
	home = getenv("FAULTS_HOME");
	shim_record_start();
	if (path == NULL || (fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC)) < 0)
		return;
	page = (void *)syscall(SYS_mmap, NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	syscall(SYS_close, fd);
	if (page != MAP_FAILED)
		plan = page;
}

enum shim_process
shim_plan_process(void)
{
	return self;
}

const char *
shim_plan_home(void)
{
	return home;
}

/* The filters of the program let a thread signal itself, and no other process. */
static void
die(void)
{
	syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), SIGKILL);
	for (;;)
		syscall(SYS_sched_yield);
}

bool
shim_plan_hits(enum shim_call call, enum shim_action *action, int *error)
{
	int64_t before;

	if (plan == NULL)
		return false;
	__atomic_fetch_add(&plan->counts[self][call], 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&plan->armed, __ATOMIC_ACQUIRE) == 0 || (plan->processes & 1u << self) == 0 ||
	    (plan->calls & 1u << call) == 0)
		return false;
	before = __atomic_fetch_sub(&plan->left, 1, __ATOMIC_ACQ_REL);
	if (before > 0 || (before < 0 && plan->from_then == 0))
		return false;
	__atomic_fetch_add(&plan->hits, 1, __ATOMIC_RELAXED);
	*action = (enum shim_action)plan->action;
	*error = (int)plan->error;
	if (*action == SHIM_KILL)
		die();
	return true;
}

bool
shim_plan_no_room(int64_t bytes)
{
	if (plan == NULL || plan->room_on == 0 || bytes <= 0)
		return false;
	if (__atomic_sub_fetch(&plan->room, bytes, __ATOMIC_ACQ_REL) >= 0)
		return false;
	__atomic_add_fetch(&plan->room, bytes, __ATOMIC_ACQ_REL);
	__atomic_fetch_add(&plan->hits, 1, __ATOMIC_RELAXED);
	return true;
}

unsigned
shim_plan_sync_us(void)
{
	return plan == NULL ? 0 : plan->sync_us;
}
