/* SPDX-License-Identifier: MIT */
/**
 * DOC: Attackers and their victim
 *
 * An attack is a function that an unprivileged process runs for some seconds against the render node. It submits,
 * maps, allocates and closes what the i915 uAPI allows, with arguments that are chosen to harm other clients. The
 * victim is another process that submits ordinary batches meanwhile and checks each result. igen-attack deals the
 * attacks into rounds (rounds.c), counts what came of each, and judges what the victim has seen.
 *
 * An attack runs until its process is killed. Errors of calls are expected and only counted. What an attack can see
 * for itself of a defence that failed (a privileged register that it read, a batch that completed before its end) it
 * reports by attack_broken().
 */
#ifndef IGEN_ATTACK_H
#define IGEN_ATTACK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "../lib/it.h"

#define ATTACK_PAGE	4096u
#define ATTACK_RINGS	4			/* rcs0, bcs0, vcs0, vecs0 */

/* A header that no engine has; batches that stop an engine on purpose use it, and only they. */
#define ATTACK_NO_SUCH_COMMAND	0xfffffffeu

/* What an attacker's process tells: in memory shared with the rounds. */
struct attack_told {
	atomic_ulong done;		/* calls that succeeded */
	atomic_ulong refused;		/* calls that returned an error */
	atomic_ulong broken;		/* defences that failed */
	char why[160];			/* the first of them */
	char absent[40];		/* what is not there to be attacked */
};

struct attacker {
	struct attack_told *told;
	unsigned int seed;		/* for rand_r() */
	unsigned int ring;		/* the engine to attack, where the attack takes one */
	unsigned int second;		/* device of the second file, where the attack opens two */
};

#define ATTACK_ROOT	0x1u		/* runs as root: what an administrator does meanwhile */
#define ATTACK_GONE	0x2u		/* takes the device away; the victim may see ENODEV and EIO */
#define ATTACK_ALONE	0x4u		/* shares its round with no other attack */
#define ATTACK_SUSPEND	0x8u		/* suspends the machine */
#define ATTACK_MUTANT	0x10u		/* belongs to the self-test and runs only when it is named */

/**
 * struct attack - one attack
 * @name: on the command line and in tables
 * @clients: processes or threads that use the GPU or the CPU side by side: as many shares are theirs
 * @flags: ATTACK_*
 * @run: never returns but when there is nothing to attack
 */
struct attack {
	const char *name;
	unsigned int clients, flags;
	void (*run)(struct attacker *a);
};

/* Families, each ended by an entry without a name. */
extern const struct attack attacks_forge[], attacks_parser[], attacks_gate[], attacks_time[], attacks_memory[],
	attacks_turn[], attacks_race[], attacks_share[], attacks_watch[], attacks_system[], attacks_mutant[];

void attack_broken(struct attacker *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The kernel has not what this attack is for. */
void attack_absent(struct attacker *a, const char *what);
/* Counts a call's result, and gives it back. */
int attack_count(struct attacker *a, int ret);
unsigned int attack_roll(struct attacker *a, unsigned int sides);

extern const uint64_t attack_rings[ATTACK_RINGS];
uint32_t attack_ring_base(unsigned int ring);	/* its registers */

/*
 * Submits a batch with some more objects, softpinned; flags are I915_EXEC_*. Returns 0, or with I915_EXEC_FENCE_OUT
 * the fence, or -errno. The call is not repeated after a signal.
 */
int attack_submit(int fd, uint32_t ctx, uint64_t flags, const struct it_batch *b, const struct it_bo *more,
		  unsigned int num);
/* A call as it is, once: 0 or -errno. */
int attack_ioctl(int fd, unsigned long request, void *arg);
/* A batch that does nothing; 0 or -errno. */
int attack_empty_batch(int fd, uint64_t address, struct it_batch *b);
/* A syncobj's handle, or 0; flags are DRM_SYNCOBJ_CREATE_*. */
uint32_t attack_syncobj(int fd, uint32_t flags);
/* Memory of zeros that is only stated, as far as it is not written; or NULL. */
void *attack_zeros(size_t size);

/* Results that the self-test damages, so that one check of the victim or of the rounds has to fail. */
enum spoil {
	SPOIL_NOTHING,
	SPOIL_SLOT,		/* the number that a batch has stored */
	SPOIL_COUNT,		/* an engine's counter of batches */
	SPOIL_FILL,		/* the last dword of a page that the blitter filled */
	SPOIL_MAPPING,		/* an object that no batch names, which is compared through its mapping */
	SPOIL_PREAD,		/* the one that is compared by pread */
	SPOIL_ZEROS,		/* a dword of a new object */
	SPOIL_NEW,		/* what the victim has written into a new object */
	SPOIL_REGISTER,		/* the remembered value of a register */
	SPOIL_FENCE,		/* a batch hangs, so that its fence has an error */
	SPOIL_BLAME,		/* a hang that no fence tells of */
	SPOIL_CONTEXT,		/* the context does not exist any more, so that a call returns an error */
	SPOIL_TWICE,		/* a batch runs twice */
	SPOIL_BUS,		/* the victim gets SIGBUS */
	SPOIL_DEATH,		/* the victim is killed */
	SPOIL_SLOW,		/* the victim sleeps while attacks run */
	SPOIL_STALL,		/* the victim stops for ever when attacks run */
	SPOIL_TIRED,		/* the victim sleeps after the attacks */
};

/* The phases of a round. A victim may be slow in one of them. */
enum phase { PHASE_ALONE, PHASE_ATTACKS, PHASE_AFTERWARDS };

/* Results of the victim, in memory that it shares with the process that runs the rounds. */
struct victim_told {
	enum spoil spoil;		/* set before the victim starts */
	_Atomic enum phase phase;
	atomic_bool stop;
	atomic_bool lenient;		/* the device may be taken away */
	atomic_bool ready;
	atomic_ulong batches;		/* whose results were right */
	atomic_ulong checks;		/* of what no batch names */
	atomic_ulong again;		/* batches that ran twice, for another client's reset */
	atomic_ulong lives;		/* files opened */
	atomic_ulong wrong;
	char why[200];			/* the first that was wrong */
};

/* Works until told->stop; opens anew only when lenient. */
void victim_run(struct victim_told *told);

struct rounds_options {
	unsigned int minutes, seconds;	/* in all; of a round */
	unsigned int seed;
	unsigned int slow;		/* how much slower than a plain kernel: bounds are multiplied */
	bool rate;			/* judge the victim's rate */
	unsigned int devices;		/* to attack, of which the victim has the first */
	bool each;			/* every attack once, in a round of its own, however long that takes */
	const char *only;		/* names, separated by commas, or NULL for all */
	bool gone;			/* also attacks that take the device away; no others that run as root */
	bool suspend;			/* also attacks that suspend the machine */
	enum spoil spoil;		/* of the first victim */
	int stop_signal;		/* ends attackers */
	unsigned int alone_ms;		/* the time in which the victim's rate is measured */
	unsigned int cpu_ms, gone_ms;	/* bounds of an attacker's end: CPU time, and all time */
};

#define ROUNDS_DEFAULTS { .minutes = 1, .seconds = 5, .seed = 1, .slow = 1, .rate = true, .stop_signal = SIGKILL, \
			  .devices = 1, .alone_ms = 2500, .cpu_ms = 5000, .gone_ms = 60000 }

/* Every attack, one after the other; NULL behind the last. */
const struct attack *attack_by_number(unsigned int n);

/* Makes the device's nodes what an installation's udev makes them; as root. */
void system_open_nodes(void);
/* Binds the device if it is not bound. */
void system_bind(void);

/* The exit status. */
int rounds_run(const struct rounds_options *options);

/* Spoils each thing that is judged, and expects the run to fail for it. The exit status. */
int selftest_run(unsigned int slow);

#endif
