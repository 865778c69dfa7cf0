/* SPDX-License-Identifier: MIT */
/*
 * The part that the plugin uses of QEMU's interface for TCG plugins, version 7, which QEMU 11.1 has, and of the GLib
 * that QEMU brings. No package of the distribution has QEMU's own header. QEMU loads no plugin of a version that it
 * does not know.
 */
#ifndef _IGEN_VM_COHERENCY_PLUGIN_QEMU_H_
#define _IGEN_VM_COHERENCY_PLUGIN_QEMU_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION	7

struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

struct qemu_mem_value {
	int type;			/* log2 of the bytes */
	union {
		uint64_t u64;
		struct {
			uint64_t low, high;
		} u128;
	} data;
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_plugin_register;

/* An element of the array of registers begins so. */
struct qemu_reg_descriptor {
	struct qemu_plugin_register *handle;
	const char *name;
};

/* GLib's GArray and GByteArray. */
struct g_array {
	char *data;
	unsigned int len;
};

struct g_byte_array {
	uint8_t *data;
	unsigned int len;
};

struct g_byte_array *g_byte_array_new(void);
struct g_byte_array *g_byte_array_set_size(struct g_byte_array *array, unsigned int len);
unsigned int g_array_get_element_size(struct g_array *array);
char *g_array_free(struct g_array *array, int free_elements);

/* All callbacks are gone when cb is called, and nothing is translated. */
void qemu_plugin_reset(uint64_t id, void (*cb)(void *userdata), void *userdata);
void qemu_plugin_register_vcpu_init_cb(uint64_t id, void (*cb)(unsigned int vcpu, void *userdata), void *userdata);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*cb)(struct qemu_plugin_tb *tb, void *userdata),
					   void *userdata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int vcpu, void *userdata),
					    enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*cb)(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *userdata),
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *userdata);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t n);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t len);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned int qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
struct qemu_mem_value qemu_plugin_mem_get_value(uint32_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *address);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *address);
struct g_array *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *handle, struct g_byte_array *to);
/* 0: done. */
int qemu_plugin_read_memory_hwaddr(uint64_t address, struct g_byte_array *to, size_t len);
bool qemu_plugin_translate_vaddr(uint64_t vaddr, uint64_t *paddr);

#endif
