// SPDX-License-Identifier: MIT
/**
 * DOC: Flags after CMPXCHG16B
 *
 * CMPXCHG16B changes the zero flag and no other (Intel SDM, volume 2A). An emulator that loses other flags, or sets
 * reserved ones, kills a guest's kernel now and then: the kernel's allocator uses the instruction, and an interrupt
 * behind it saves the flags and loads them again. So a guest's CPU either keeps them, or does not have the instruction.
 */
#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>

/* CF, bit 1, PF, AF, ZF, SF, IF, OF: no other flag is set in a user program that sets none. */
#define EXPECTED	0xad7ull
#define ROUNDS		1000
/* Added to itself it sets bits of all kinds. */
#define PATTERN		0x123456789abcd345ull

int main(void)
{
	static uint64_t memory[2] __attribute__((aligned(16)));
	unsigned int a, b, c, d, wrong = 0;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_CMPXCHG16B)) {
		printf("flags: the CPU has no CMPXCHG16B\n");
		return 0;
	}
	for (unsigned int i = 0; i < ROUNDS; i++) {
		uint64_t low = i, high = 0, sum = PATTERN * i, flags;

		memory[0] = i;
		memory[1] = 0;
		/* An emulator that computes flags when they are needed has the operands of the addition pending. */
		asm volatile("pushfq\n\t"
			     "popfq\n\t"
			     "add %[more], %[sum]\n\t"
			     "lock cmpxchg16b %[memory]\n\t"
			     "pushfq\n\t"
			     "pop %[flags]"
			     : [flags] "=r"(flags), "+a"(low), "+d"(high), [memory] "+m"(memory), [sum] "+r"(sum)
			     : "b"(1ull), "c"(2ull), [more] "r"(PATTERN) : "cc", "memory");
		if (flags & ~EXPECTED && !wrong++)
			printf("flags: %llx after CMPXCHG16B\n", (unsigned long long)flags);
	}
	printf("flags: %u of %u wrong\n", wrong, ROUNDS);
	return wrong != 0;
}
