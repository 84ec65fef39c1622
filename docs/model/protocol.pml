/*
 * The read protocol: no bytes before a durable record. README.md says how each
 * step maps to the code, and what each -D does.
 *
 * A process here is one handler of an actor for one ask (or epoch); a step of
 * it is one call, whole, on the state that the actor's handlers share.
 */

#ifndef ASKS
#define ASKS 2
#endif
#ifndef ASKS_EACH
#define ASKS_EACH 2 /* of one client; at most 2 */
#endif
#ifndef EPOCHS
#define EPOCHS 2
#endif
#ifdef RELIABLE
#define FAULTS 0
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#ifndef WRITE
#define WRITE ASKS /* which ask is a write: none */
#endif

#define ALL         ((1 << ASKS) - 1)
#define HAS(set, i) ((set >> (i)) & 1)
#define ADD(set, i) set = set | (1 << (i))
#define DEL(set, i) set = set & ~(1 << (i))

/* A client has an opener key of its own and numbers its asks. */
#define OPENER(a) ((a) / ASKS_EACH)
#define LATER(a)  ((a) % ASKS_EACH)

/*
 * Messages: a set each, of the asks or epochs that one was sent for. One that
 * was sent can come at any later time, in any order, any number of times, or
 * never, across every restart. The edges promise more.
 */
byte RULING_WANTED, RECORD_WANTED, DEPOSIT, KEYS_WANTED, AUDIT_INTENT, AUDIT_ACK;
byte EPOCH, EPOCH_CERTIFIED;
byte ANSWER[ASKS]; /* by ask; the set: whose tickets */
byte ASK;          /* a stream, so each comes at most once */

#ifdef RELIABLE
#define TAKEN(set, i) DEL(set, i)
#else
#define TAKEN(set, i) skip
#endif

/* What a ticket is bound to beside its ask's operation. */
byte boot_of[ASKS];
byte number_of[ASKS];
byte asked;
byte opened; /* whose bytes (or, of a write, whose key) are out */

/* The gateway. Its own ids of asks begin again when it restarts. */
byte next_id;
byte id_of[ASKS];
byte flight[ASKS];     /* by id: 1 + the ask; 0: ended, or never was */
byte flight_ack[ASKS]; /* by id: 1 + whose ticket has come */
byte flight_deposit;
byte permits;

/* The keyring. */
byte boot = 1;

/* The audit actor's memory. */
mtype = { TAKING, WRITTEN, SYNCED, FAILED, DOWN };
mtype phase = DOWN;
byte group;            /* asks whose intents wait */
bool group_certifies;
bool group_rotates;
byte epoch;
bool certified;
byte next_epoch;       /* 0: none is being made */
bool next_certified;
byte last_epoch;
#ifdef NEWCOMERS_ACKED
byte written;
#else
#define written group
#endif

/* What lies on the disk and counts; and what the page cache shows beside it. */
byte disk;             /* asks with a record */
byte disk_epochs;      /* epochs with a certificate */
bool hole;             /* before the place of the next group bytes are missing: what follows does not count */
bool only_cached;      /* a group is in the page cache that the disk lacks */

byte faults = FAULTS;
bool rotated, failed_sync; /* in this run */

#define SAME(a, b, what) (what[a] == what[b])
#ifdef ANOTHER_ASK_ACCEPTED
#define SAME_NUMBER(a, b) true
#else
#define SAME_NUMBER(a, b) SAME(a, b, number_of)
#endif
#ifdef BOOT_NOT_CHECKED
#define SAME_BOOT(a, b) true
#define BOOT_FITS(a)    true
#else
#define SAME_BOOT(a, b) SAME(a, b, boot_of)
#define BOOT_FITS(a)    (boot_of[a] == boot)
#endif
#ifdef OPENER_NOT_CHECKED
#define SAME_OPENER(a, b) true
#else
#define SAME_OPENER(a, b) (OPENER(a) == OPENER(b))
#endif
#define FITS(a, b) (SAME_OPENER(a, b) && SAME_BOOT(a, b) && SAME_NUMBER(a, b) && ((a) == WRITE) == ((b) == WRITE))

inline send_ask(a)
{
	boot_of[a] = boot;
#ifndef RELIABLE
	/* A client that has not heard of the keyring's restart. */
	if
	:: boot > 1 -> boot_of[a] = boot - 1
	:: true
	fi;
#endif
#ifndef RETRY_KEEPS_NUMBER
	number_of[a] = (LATER(a) && boot_of[a] == boot_of[a - LATER(a)] -> 1 : 0);
#endif
	ADD(asked, a);
	ADD(ASK, a)
}

/* The property. */
#define OPENS(b) \
	:: d_step { b < ASKS && HAS(ANSWER[a], b) && FITS(a, b) -> \
		assert(HAS(disk, a)); \
		ADD(opened, a) }

proctype client(byte a)
{
	atomic {
		LATER(a) == 0 || HAS(asked, a - 1);
		send_ask(a)
	}
	if
	OPENS(0)
	OPENS(1)
	OPENS(2)
	OPENS(3)
	fi
}

inline end_flight(id)
{
	flight[id] = 0;
	flight_ack[id] = 0;
	DEL(flight_deposit, id)
}

inline answer_if_whole(id)
{
	if
	:: flight_ack[id] && (HAS(flight_deposit, id) || flight[id] - 1 == WRITE) ->
		ADD(ANSWER[flight[id] - 1], flight_ack[id] - 1);
		end_flight(id)
	:: else
	fi
}

inline take_ticket(a)
{
	if
	:: flight[id_of[a]] && flight[id_of[a]] - 1 == WRITE -> ADD(permits, a)
	:: else
	fi;
	if
	:: flight[id_of[a]] && flight_ack[id_of[a]] == 0 ->
		flight_ack[id_of[a]] = a + 1;
		answer_if_whole(id_of[a])
	:: else
	fi
}

proctype gate(byte a)
{
	do
	:: d_step { HAS(ASK, a) ->
		DEL(ASK, a);
		id_of[a] = next_id;
		flight[next_id] = a + 1;
		next_id++;
#ifdef PERMIT_WITH_THE_ASK
		if
		:: a == WRITE -> ADD(permits, a)
		:: else
		fi;
#endif
		ADD(RULING_WANTED, a) }
	:: d_step { HAS(DEPOSIT, a) ->
		TAKEN(DEPOSIT, a);
		if
		:: flight[id_of[a]] ->
			ADD(flight_deposit, id_of[a]);
			answer_if_whole(id_of[a])
		:: else
		fi }
	:: d_step { HAS(AUDIT_ACK, a) ->
		TAKEN(AUDIT_ACK, a);
		take_ticket(a) }
#ifdef TICKET_TO_GATEWAY
	:: d_step { HAS(AUDIT_INTENT, a) -> take_ticket(a) }
#endif
#ifndef RELIABLE
	/* The deadline. */
	:: d_step { flight[id_of[a]] == a + 1 -> end_flight(id_of[a]) }
#endif
	od
}

proctype grants(byte a)
{
	do
	:: d_step { HAS(RULING_WANTED, a) ->
		TAKEN(RULING_WANTED, a);
		ADD(RECORD_WANTED, a) }
	od
}

proctype vault(byte a)
{
	do
	:: d_step { HAS(RECORD_WANTED, a) ->
		TAKEN(RECORD_WANTED, a);
		if
		:: a != WRITE -> ADD(DEPOSIT, a)
		:: else
		fi;
		ADD(KEYS_WANTED, a) }
	/* The second half of a write, from whoever sends it. */
	:: d_step { a == WRITE && HAS(AUDIT_INTENT, a) &&
#ifndef PERMIT_NOT_CHECKED
	       HAS(permits, a) &&
#endif
	       !HAS(disk, a) -> assert(false) }
	od
}

proctype keyring(byte a)
{
	do
	:: d_step { HAS(KEYS_WANTED, a) && BOOT_FITS(a) ->
		TAKEN(KEYS_WANTED, a);
		ADD(AUDIT_INTENT, a) }
	od
}

proctype keyring_epoch(byte e)
{
	d_step { HAS(EPOCH, e) -> ADD(EPOCH_CERTIFIED, e) }
}

/* An epoch that waits for its certificate takes no intents. */
proctype audit_intent(byte a)
{
	do
	:: d_step { HAS(AUDIT_INTENT, a) &&
#ifdef NEWCOMERS_ACKED
		(phase == TAKING || phase == WRITTEN) &&
#else
		phase == TAKING &&
#endif
#ifndef PENDING_TAKES_INTENTS
		certified &&
#endif
		!HAS(group, a) ->
		TAKEN(AUDIT_INTENT, a);
		ADD(group, a) }
	od
}

proctype audit_certificate(byte e)
{
	do
	:: d_step { HAS(EPOCH_CERTIFIED, e) && phase == TAKING && !certified &&
#ifndef CERTIFICATE_OF_ANOTHER_EPOCH
		e == epoch &&
#endif
		true ->
		group_certifies = (e == epoch);
		certified = true }
	:: d_step { HAS(EPOCH_CERTIFIED, e) && phase == TAKING && e == next_epoch && !next_certified ->
		next_certified = true }
	od
}

inline forget_group()
{
	group = 0;
	written = 0;
	group_certifies = false;
	group_rotates = false
}

inline lands()
{
	if
	:: !hole ->
		disk = disk | written;
		if
		:: group_certifies -> ADD(disk_epochs, epoch)
		:: else
		fi;
		if
		:: group_rotates && next_certified -> ADD(disk_epochs, next_epoch)
		:: else
		fi
	:: else
	fi
}

inline lands_or_not()
{
	if
	:: lands()
	:: only_cached = true
	fi
}

inline send_acks()
{
#ifndef BYTES_ALONE
	assert(group == 0 || HAS(disk_epochs, epoch));
#endif
	AUDIT_ACK = AUDIT_ACK | group
}

inline rotate()
{
	if
	:: group_rotates ->
		epoch = next_epoch;
#ifdef ROTATION_NEEDS_NO_CERTIFICATE
		certified = true;
#else
		certified = next_certified;
#endif
		next_epoch = 0;
		next_certified = false;
		rotated = true
	:: else
	fi
}

inline write()
{
	written = group;
#ifdef ACK_BEFORE_SYNC
	AUDIT_ACK = AUDIT_ACK | group;
#endif
	phase = WRITTEN
}

inline die()
{
	forget_group();
	epoch = 0;
	certified = false;
	next_epoch = 0;
	next_certified = false;
	phase = DOWN
}

inline sync_fails()
{
	faults--;
	failed_sync = true;
	lands_or_not();
	phase = FAILED;
#ifdef SYNC_RETRIED
	/* The second sync returns 0: the kernel has marked the pages clean. */
	phase = SYNCED;
#endif
#ifdef FAILURE_NOT_LATCHED
	/* The group's asks are refused, and the next group goes behind it. */
	hole = hole || only_cached;
	forget_group();
	phase = TAKING;
#endif
}

inline open_log()
{
#ifdef RECOVERY_READS_THE_CACHE
	hole = only_cached;
#else
	hole = false;
#endif
	only_cached = false;
	last_epoch++;
	epoch = last_epoch;
	ADD(EPOCH, epoch);
	phase = TAKING
}

proctype audit()
{
	do
	:: d_step { phase == DOWN && last_epoch < EPOCHS -> open_log() }
	:: d_step { phase == TAKING && (group || group_certifies) -> write() }
	:: d_step { phase == TAKING && certified && next_epoch == 0 && last_epoch < EPOCHS ->
		last_epoch++;
		next_epoch = last_epoch;
		ADD(EPOCH, next_epoch) }
	:: d_step { phase == TAKING && next_epoch != 0 &&
#ifdef RELIABLE
		next_certified &&
#endif
		true ->
		group_rotates = true;
		write() }
	:: d_step { phase == WRITTEN -> lands(); phase = SYNCED }
	:: d_step { phase == SYNCED ->
		send_acks();
		rotate();
		forget_group();
		phase = TAKING }
	:: atomic { phase == WRITTEN && faults > 0 -> sync_fails() }
	:: d_step { phase == FAILED -> die() }
	:: atomic { phase != DOWN && faults > 0 ->
		faults--;
		if
		:: phase == WRITTEN -> lands_or_not()
		:: else
		fi;
		die() }
	od
}

proctype restarts()
{
	do
	:: d_step { faults > 0 ->
		faults--;
		boot++ }
	:: d_step { faults > 0 ->
		faults--;
		next_id = 0;
		permits = 0;
		end_flight(0);
		end_flight(1);
#if ASKS > 2
		end_flight(2);
#endif
#if ASKS > 3
		end_flight(3);
#endif
	}
	od
}

/* What some run must reach, lest the property hold because nothing happens. */
#define DELIVERED                   (opened == ALL)
#define DELIVERED_AFTER_FAILED_SYNC (opened == ALL && disk == ALL && failed_sync)
#define DELIVERED_AFTER_ROTATION    (opened == ALL && rotated)
#ifdef REACH
active proctype monitor()
{
	REACH -> assert(false)
}
#endif

#ifdef RELIABLE
ltl every_ask_ends_with_bytes { <> (opened == ALL) }
#endif

init {
	byte i;

	atomic {
		for (i : 0 .. ASKS - 1) {
			run client(i);
			run gate(i);
			run grants(i);
			run vault(i);
			run keyring(i);
			run audit_intent(i)
		}
		for (i : 1 .. EPOCHS) {
			run keyring_epoch(i);
			run audit_certificate(i)
		}
		run audit();
#ifndef RELIABLE
		run restarts()
#endif
	}
}
