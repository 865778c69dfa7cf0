// SPDX-License-Identifier: MIT
/**
 * DOC: igen-attack
 *
 * igen-attack --list: the attacks' names, one a line
 *
 * igen-attack --selftest [-x FACTOR] [NAME...]: damages each thing that is judged, or those named, and expects the
 * run to fail for it
 *
 * igen-attack [-m MINUTES] [-t SECONDS] [-s SEED] [-x FACTOR] [-o NAME,...] [-d DEVICES] [-egnS]
 *	-m	rounds of attacks for so long (1)
 *	-t	seconds of a round (5)
 *	-s	decides what runs with what (1)
 *	-x	the kernel is so many times slower than a plain one (1): bounds are multiplied
 *	-o	only these attacks
 *	-e	each attack once, in a round of its own; -m is ignored
 *	-g	also unbind and bind the device; errors that come of that are no failure for the victim
 *	-S	also suspend the machine, for which nothing may go wrong
 *	-n	do not judge the victim's rate
 *
 * Runs as root in a guest; attackers and victim are ordinary users. Exit status 0 when every attack was held.
 */
#include <getopt.h>
#include <limits.h>
#include <unistd.h>

#include "attack.h"

static int usage(void)
{
	fprintf(stderr, "usage: igen-attack --list\n"
			"       igen-attack --selftest [-x FACTOR] [NAME...]\n"
			"       igen-attack [-m MINUTES] [-t SECONDS] [-s SEED] [-x FACTOR] [-o NAME,...] [-d DEVICES] [-egnS]\n");
	return 2;
}

static int list(void)
{
	for (unsigned int n = 0; attack_by_number(n); n++)
		if (!(attack_by_number(n)->flags & ATTACK_MUTANT))
			printf("%s\n", attack_by_number(n)->name);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option words[] = { { "list", 0, NULL, 'l' }, { "selftest", 0, NULL, 'T' }, { 0 } };
	struct rounds_options options = ROUNDS_DEFAULTS;
	bool selftest = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "m:t:s:x:o:d:egnS", words, NULL)) != -1) {
		switch (opt) {
		case 'l':
			return list();
		case 'T':
			selftest = true;
			break;
		case 'm':
			options.minutes = it_number("-m", optarg, 1, 10000);
			break;
		case 't':
			options.seconds = it_number("-t", optarg, 1, 600);
			break;
		case 's':
			options.seed = it_number("-s", optarg, 0, UINT_MAX);
			break;
		case 'x':
			options.slow = it_number("-x", optarg, 1, 20);
			break;
		case 'o':
			options.only = optarg;
			break;
		case 'd':
			options.devices = it_number("-d", optarg, 1, 16);
			break;
		case 'e':
			options.each = true;
			break;
		case 'g':
			options.gone = true;
			break;
		case 'S':
			options.suspend = true;
			break;
		case 'n':
			options.rate = false;
			break;
		default:
			return usage();
		}
	}
	if (optind != argc && !selftest)
		return usage();
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!selftest)
		return rounds_run(&options);
	it_init(argc - optind + 1, argv + optind - 1);
	return selftest_run(options.slow);
}
