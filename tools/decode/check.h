/* SPDX-License-Identifier: MIT */
/**
 * DOC: The validator
 *
 * A checker follows one engine's command stream and reports what the manuals forbid, by rule. Some
 * rules come straight from the tables: unknown commands, commands of another engine, wrong lengths,
 * reserved bits. The others are the database's rules, over fields and a state that commands change
 * (see tools/cmdgen/rules/rules.xml). Each finding is counted by rule, and given to the caller with
 * the rule's section.
 *
 * A set reserved bit is a warning: real streams set bits that the text calls "must be zero".
 */
#ifndef _IGEN_CHECK_H_
#define _IGEN_CHECK_H_

#include "decode.h"

#define IGEN_CHECK_STATE 48
#define IGEN_CHECK_RULES 160
#define IGEN_CHECK_TAIL 8 /* dwords of a list's element whose reserved bits are kept as masks */
#define IGEN_CHECK_TAILS 16 /* commands for which they are */

enum igen_severity { IGEN_WARNING, IGEN_ERROR };

/**
 * struct igen_rule - what is forbidden
 * @id: short name
 * @section: volume and section; NULL where it is the command's own
 * @text: what is wrong when it is broken
 * @severity: enum igen_severity
 */
struct igen_rule {
	const char *id, *section, *text;
	__u8 severity;
};

/* The rules that come from the tables; they are counted before the others. */
enum igen_table_rule {
	IGEN_RULE_UNKNOWN,
	IGEN_RULE_ENGINE,
	IGEN_RULE_LENGTH,
	IGEN_RULE_CUT,
	IGEN_RULE_MBZ,
	IGEN_RULE_MBO,
	IGEN_TABLE_RULES
};

/**
 * struct igen_check_tail - the reserved bits of the elements of a command's list
 * @cmd: the command
 * @zero: by dword of an element, bits that must be zero
 * @one: by dword of an element, bits that must be one
 */
struct igen_check_tail {
	const struct igen_cmd *cmd;
	__u32 zero[IGEN_CHECK_TAIL], one[IGEN_CHECK_TAIL];
};

struct igen_check;

struct igen_rule_set {
	const struct igen_rule *rules;
	unsigned int nrules;
	const __s64 *initial;
	unsigned int nstate;
	void (*command)(struct igen_check *c, unsigned int index, const __u32 *dw, unsigned int n);
	void (*end)(struct igen_check *c);
};

/**
 * struct igen_finding - a rule broken
 * @rule: which
 * @section: the rule's, or the command's
 * @cmd: the command, NULL if unknown or at the stream's end
 * @field: the field, for reserved bits; else NULL
 * @address: where the command lies
 */
struct igen_finding {
	const struct igen_rule *rule;
	const char *section;
	const struct igen_cmd *cmd;
	const struct igen_cmd_field *field;
	__u64 address;
};

/**
 * struct igen_check - a checker of one engine's stream
 * @set: generation
 * @engine: whose stream
 * @unprivileged: commands come from a batch in a process's address space; the caller's to keep
 * @wa: they come from an INDIRECT_CTX or BB_PER_CTX_PTR buffer; the caller's to keep
 * @fresh: the stream begins a new context; set before the first command
 * @level: of batches, 0 in the ring; the caller's to keep
 * @report: called for each finding; may be NULL
 * @data: for @report
 * @counts: findings by rule, table rules first
 * @errors: findings of severity error
 * @warnings: the others
 * @state: what the rules remember
 * @rules: of the command being checked
 * @now: the finding in the making, of that command
 * @tails: of the commands with a list that were checked last, by their place in the set
 */
struct igen_check {
	const struct igen_cmd_set *set;
	enum igen_cmd_engine engine;
	bool unprivileged, wa, fresh;
	unsigned int level;
	void (*report)(void *data, const struct igen_finding *f);
	void *data;
	unsigned long counts[IGEN_CHECK_RULES];
	unsigned long errors, warnings;
	__s64 state[IGEN_CHECK_STATE];
	const struct igen_rule_set *rules;
	struct igen_finding now;
	struct igen_check_tail tails[IGEN_CHECK_TAILS];
};

/**
 * igen_check_init() - a checker for the start of a stream
 * @c: the checker; nothing to release
 * @set: generation
 * @engine: whose stream
 * @report: called for each finding, or NULL
 * @data: for @report
 */
void igen_check_init(struct igen_check *c, const struct igen_cmd_set *set,
		     enum igen_cmd_engine engine,
		     void (*report)(void *data, const struct igen_finding *f), void *data);
/* Looks at the next command, at @address. */
void igen_check_inst(struct igen_check *c, const struct igen_inst *inst, __u64 address);
/* The stream is over: what was left open. */
void igen_check_end(struct igen_check *c, __u64 address);
/* A structure in memory: reserved bits. */
void igen_check_struct(struct igen_check *c, const struct igen_cmd *s, const __u32 *dw,
		       __u64 address);
/* All the rules of the checker in the order of its counts; NULL past the last. */
const struct igen_rule *igen_check_rule(const struct igen_check *c, unsigned int i);
/* For the generated rules. */
void igen_check_fail(struct igen_check *c, unsigned int rule);

extern const struct igen_rule_set igen_rules_gen6, igen_rules_gen7, igen_rules_gen9,
	igen_rules_gen12;

#endif
