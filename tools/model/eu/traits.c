// SPDX-License-Identifier: MIT
/**
 * DOC: What generations differ in
 *
 * One row a generation. The differences in encodings are in the tables of the instruction set; these
 * are differences in what instructions do.
 */
#include "internal.h"

static const struct eu_traits traits[] = {
	{
		/* SNB Vol 4 Part 2 */
		.isa = &isa_gen6, .mul_low_src0 = true, .register_unit = 8, .addresses = 8, .address_bits = 12,
		.descriptor_bits = 0x1fffffff, .flags = 1, .jmpi_next = true, .paired_index = true,
		.low_mask_twice = true,
	}, {
		/* IVB Vol 4 Part 3 */
		.isa = &isa_gen7, .register_unit = 8, .addresses = 8, .address_bits = 12,
		.descriptor_bits = 0x1fffffff, .flags = 2, .break_after = true, .jmpi_next = true,
		.double_to_float_cuts = true, .paired_index = true, .double_pairs = true, .low_mask_twice = true,
	}, {
		/* Also HSW Vol 2a, "PredCtrl", where anyv and allv are as on Gen7. */
		.isa = &isa_gen75, .register_unit = 1, .addresses = 8, .address_bits = 12,
		.descriptor_bits = 0x1fffffff, .flags = 2, .break_after = true, .jmpi_next = true,
		.double_to_float_cuts = true, .paired_index = true,
	}, {
		/* KBL Vol 2b, "PredCtrl" */
		.isa = &isa_gen9, .register_unit = 1, .addresses = 16, .address_bits = 16,
		.descriptor_bits = ~0u, .flags = 2, .break_after = true, .anyv_f1 = true, .jmpi_next = true,
		.bitwise_negate = true, .branch_uip = true, .ce_all = true, .keeps_denormals = true,
		.pause = true,
	}, {
		/* DG1 Vol 2a */
		.isa = &isa_gen12, .register_unit = 1, .addresses = 16, .address_bits = 16,
		.descriptor_bits = ~0u, .flags = 2, .break_after = true, .anyv_f1 = true,
		.bitwise_negate = true, .branch_uip = true, .ce_all = true, .keeps_denormals = true,
		.mach_low = true, .pause = true,
	},
};

const struct eu_traits *eu_traits_of(const struct isa_gen *isa)
{
	unsigned int i;

	for (i = 0; i < sizeof(traits) / sizeof(traits[0]); i++)
		if (traits[i].isa == isa)
			return &traits[i];
	return NULL;
}
