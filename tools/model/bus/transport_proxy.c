// SPDX-License-Identifier: MIT
/**
 * DOC: QEMU's x-pci-proxy-dev, with interrupts over qtest
 *
 * Two socket pairs lead into QEMU. On the first, x-pci-proxy-dev forwards configuration and BAR
 * accesses, one at a time, and waits for each answer, also for writes; it hands over the guest's
 * memory as descriptors, which is not answered (format: QEMU 7.2, include/hw/remote/mpqemu-link.h,
 * x86-64 layout). On the second, a qtest server takes "writel ADDRESS DATA", which is how a message
 * signalled interrupt reaches the guest's interrupt controller without KVM. A thread reads its answers.
 *
 * Messages are raised under gpu->lock, and QEMU's main loop, which executes the qtest lines, may at that time wait for
 * an answer to an access, which needs gpu->lock. So sending never blocks: at most one line is on its way, its answer
 * allows the next one, and messages that come meanwhile wait in a short queue, where equal ones are one, as they are
 * in an interrupt controller. The qtest command can write anywhere, but the guest chooses the address of a message,
 * so only the processors' interrupt window (0xFEExxxxx; Intel SDM Vol 3, "Message Address Register Format") is
 * written to, and messages to other addresses are counted and dropped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/bus.h"
#include "mem/mem.h"

enum proxy_command {
	PROXY_SYNC_SYSMEM,
	PROXY_RET,
	PROXY_CFG_WRITE,
	PROXY_CFG_READ,
	PROXY_BAR_WRITE,
	PROXY_BAR_READ,
	PROXY_SET_IRQFD,
	PROXY_RESET,
};

struct proxy_header {
	int32_t command;
	uint32_t pad;
	uint64_t size;
};

struct proxy_cfg {
	uint32_t addr;
	uint32_t val;
	int32_t len;
};

struct proxy_bar {
	uint64_t addr;				/* absolute */
	uint64_t val;
	uint32_t size;
	uint8_t memory;
	uint8_t pad[3];
};

#define PROXY_REGIONS	8

#define MSI_WINDOW	0xfee00000ull
#define MSI_WINDOW_SIZE	(1ull << 20)
#define MSI_QUEUE	8			/* of different messages; drivers use one at a time */

struct message {
	uint64_t addr;
	uint32_t data;
};

struct proxy_sysmem {
	uint64_t gpa[PROXY_REGIONS];
	uint64_t size[PROXY_REGIONS];
	uint64_t offset[PROXY_REGIONS];
};

union proxy_payload {
	struct proxy_cfg cfg;
	struct proxy_bar bar;
	struct proxy_sysmem sysmem;
	uint64_t u64;
};

struct proxy {
	struct transport base;
	int fd, qtest;
	int peer_fd, peer_qtest;		/* the child's ends until it has them */
	pthread_t drain;
	bool draining;
	pthread_mutex_t msi_lock;		/* of what follows */
	bool qtest_lost;
	bool line_out;				/* a line is on its way, not answered so far */
	struct message queue[MSI_QUEUE];	/* of what waits for that answer, oldest first */
	unsigned int queued;
};

static struct proxy *to_proxy(struct transport *t)
{
	return (struct proxy *)t;
}

static int reply(struct proxy *p, uint64_t value)
{
	struct {
		struct proxy_header header;
		uint64_t value;
	} msg = { { PROXY_RET, 0, sizeof(value) }, value };

	return io_send(p->fd, &msg, sizeof(msg));
}

static void set_memory(struct proxy *p, const struct proxy_sysmem *s, struct io_fds *fds)
{
	struct gmem_region r[PROXY_REGIONS];
	unsigned int n = fds->n < PROXY_REGIONS ? fds->n : PROXY_REGIONS;

	for (unsigned int i = 0; i < n; i++) {
		r[i] = (struct gmem_region){
			.gpa = s->gpa[i], .size = s->size[i], .offset = s->offset[i], .fd = fds->fd[i],
		};
		fds->fd[i] = -1;		/* gmem_set() closes it */
		trace("memory 0x%llx+0x%llx at offset 0x%llx", (unsigned long long)r[i].gpa,
		      (unsigned long long)r[i].size, (unsigned long long)r[i].offset);
	}
	gmem_set(p->base.gpu, r, n);
}

static uint64_t bar_access(struct proxy *p, const struct proxy_bar *b, bool write)
{
	struct gpu *gpu = p->base.gpu;
	uint64_t offset;
	int bar = pci_decode(gpu, b->memory, b->addr, &offset);

	if (bar < 0) {
		count("stray_accesses", write ? "bus_writes" : "bus_reads", 1);
		trace("%s of 0x%llx hits no BAR", write ? "write" : "read",
		      (unsigned long long)b->addr);
		return ~0ull;
	}
	if (!write)
		return pci_bar_read(gpu, (enum pci_bar)bar, offset, b->size);
	pci_bar_write(gpu, (enum pci_bar)bar, offset, b->size, b->val);
	return 0;
}

/* How many bytes a command's payload must have; -1 for an unknown command. */
static int payload_size(int32_t command)
{
	switch (command) {
	case PROXY_SYNC_SYSMEM:
		return sizeof(struct proxy_sysmem);
	case PROXY_CFG_WRITE:
	case PROXY_CFG_READ:
		return sizeof(struct proxy_cfg);
	case PROXY_BAR_WRITE:
	case PROXY_BAR_READ:
		return sizeof(struct proxy_bar);
	case PROXY_SET_IRQFD:
	case PROXY_RESET:
		return 0;
	}
	return -1;
}

/* Does one request; false when the answer could not be sent. */
static bool handle(struct proxy *p, int32_t command, const union proxy_payload *d,
		   struct io_fds *fds)
{
	struct gpu *gpu = p->base.gpu;
	unsigned int len = (unsigned int)d->cfg.len;

	switch (command) {
	case PROXY_SYNC_SYSMEM:
		set_memory(p, &d->sysmem, fds);
		return true;
	case PROXY_SET_IRQFD:
		return true;			/* legacy interrupts are not used */
	case PROXY_CFG_READ:
		return !reply(p, len <= 4 ? pci_cfg_read(gpu, d->cfg.addr, len) : ~0u);
	case PROXY_CFG_WRITE:
		if (len <= 4)
			pci_cfg_write(gpu, d->cfg.addr, len, d->cfg.val);
		return !reply(p, 0);
	case PROXY_BAR_READ:
		return !reply(p, bar_access(p, &d->bar, false));
	case PROXY_BAR_WRITE:
		bar_access(p, &d->bar, true);
		return !reply(p, 0);
	case PROXY_RESET:
		pci_reset(gpu);
		return !reply(p, 0);
	}
	return false;
}

static enum serve_result serve(struct transport *t)
{
	struct proxy *p = to_proxy(t);

	for (;;) {
		union proxy_payload d;
		struct proxy_header h;
		struct io_fds fds = { .n = 0 };
		int want, got;
		bool ok;

		got = io_recv(p->fd, &h, sizeof(h), &fds);
		if (got == 0)
			return SERVE_PEER_LEFT;
		if (got < 0) {
			model_log("proxy: %s", errno ? strerror(errno) : "a message was cut short");
			io_fds_close(&fds);
			return SERVE_BROKEN;
		}
		want = payload_size(h.command);
		/* The size of what has no payload is not defined by QEMU; it sends none. */
		if (want < 0 || (h.size != (uint64_t)want && h.size != 0) || (want && !h.size)) {
			model_log("proxy: command %d with %llu bytes makes no sense", h.command,
				  (unsigned long long)h.size);
			io_fds_close(&fds);
			return SERVE_BROKEN;
		}
		memset(&d, 0, sizeof(d));
		if (h.size && io_recv(p->fd, &d, h.size, &fds) <= 0) {
			model_log("proxy: a message was cut short");
			io_fds_close(&fds);
			return SERVE_BROKEN;
		}
		ok = handle(p, h.command, &d, &fds);
		io_fds_close(&fds);
		if (!ok) {
			model_log("proxy: cannot answer: %s", strerror(errno));
			return SERVE_BROKEN;
		}
	}
}

/* Sends the oldest message if no line is on its way. msi_lock held; does not block. */
static void send_next(struct proxy *p)
{
	char line[64];
	int n;

	if (p->line_out || p->qtest_lost || !p->queued)
		return;
	n = snprintf(line, sizeof(line), "writel 0x%llx 0x%x\n", (unsigned long long)p->queue[0].addr,
		     p->queue[0].data);
	p->queued--;
	memmove(&p->queue[0], &p->queue[1], p->queued * sizeof(p->queue[0]));
	/* All lines before were answered, hence read: a socket that has no room for one line is broken. */
	if (send(p->qtest, line, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) != n) {
		p->qtest_lost = true;
		trace("qtest: %s", strerror(errno));
		return;
	}
	p->line_out = true;
}

/* Puts a message at the end of the queue unless it is there already. msi_lock held. */
static void enqueue(struct proxy *p, uint64_t addr, uint32_t data)
{
	for (unsigned int i = 0; i < p->queued; i++) {
		if (p->queue[i].addr == addr && p->queue[i].data == data) {
			count("interrupts_merged", "msi", 1);
			return;
		}
	}
	if (p->queued == MSI_QUEUE) {
		count("interrupts_lost", "msi_queue_full", 1);
		return;
	}
	p->queue[p->queued++] = (struct message){ addr, data };
}

static void msi(struct transport *t, uint64_t addr, uint32_t data)
{
	struct proxy *p = to_proxy(t);

	if (addr < MSI_WINDOW || addr - MSI_WINDOW >= MSI_WINDOW_SIZE) {
		count("interrupts_lost", "msi_address", 1);
		return;
	}
	pthread_mutex_lock(&p->msi_lock);
	enqueue(p, addr, data);
	send_next(p);
	pthread_mutex_unlock(&p->msi_lock);
}

/* Reads qtest's answers, one a line, and sends what waited for them. */
static void *drain(void *opaque)
{
	struct proxy *p = opaque;
	char buf[4096];
	ssize_t n;

	for (;;) {
		n = read(p->qtest, buf, sizeof(buf) - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return NULL;
		buf[n] = 0;
		if (strstr(buf, "FAIL") || strstr(buf, "ERR"))
			model_log("qtest: %.200s", buf);
		if (!strchr(buf, '\n'))
			continue;
		pthread_mutex_lock(&p->msi_lock);
		p->line_out = false;
		send_next(p);
		pthread_mutex_unlock(&p->msi_lock);
	}
}

static int child_setup(struct transport *t)
{
	struct proxy *p = to_proxy(t);

	if (dup2(p->peer_fd, PROXY_FD) < 0 || dup2(p->peer_qtest, QTEST_FD) < 0)
		return -1;
	return 0;
}

static int start_drain(struct proxy *p)
{
	int err = pthread_create(&p->drain, NULL, drain, p);

	if (err) {
		errno = err;
		return -1;
	}
	p->draining = true;
	return 0;
}

static int parent_setup(struct transport *t, int pidfd)
{
	struct proxy *p = to_proxy(t);

	(void)pidfd;
	close(p->peer_fd);
	close(p->peer_qtest);
	p->peer_fd = -1;
	p->peer_qtest = -1;
	return start_drain(p);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void proxy_close(struct transport *t)
{
	struct proxy *p = to_proxy(t);

	if (p->draining) {
		shutdown(p->qtest, SHUT_RDWR);
		pthread_join(p->drain, NULL);
	}
	close_fd(&p->fd);
	close_fd(&p->qtest);
	close_fd(&p->peer_fd);
	close_fd(&p->peer_qtest);
	pthread_mutex_destroy(&p->msi_lock);
	free(p);
}

static struct proxy *proxy_alloc(struct gpu *gpu)
{
	struct proxy *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->base = (struct transport){
		.name = "proxy",
		.gpu = gpu,
		.serve = serve,
		.msi = msi,
		.close = proxy_close,
		.child_setup = child_setup,
		.parent_setup = parent_setup,
	};
	p->fd = -1;
	p->qtest = -1;
	p->peer_fd = -1;
	p->peer_qtest = -1;
	pthread_mutex_init(&p->msi_lock, NULL);
	pci_show_bars_32(gpu, true);
	return p;
}

struct transport *transport_proxy_new_fds(struct gpu *gpu, int fd, int qtest_fd)
{
	struct proxy *p = proxy_alloc(gpu);

	if (!p)
		return NULL;
	p->fd = fd;
	p->qtest = qtest_fd;
	if (start_drain(p)) {
		proxy_close(&p->base);
		return NULL;
	}
	return &p->base;
}

/* NULL with errno when there are no sockets or no memory. */
struct transport *transport_proxy_new(struct gpu *gpu)
{
	struct proxy *p = proxy_alloc(gpu);
	int pair[2];

	if (!p)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		goto fail;
	p->fd = pair[0];
	p->peer_fd = pair[1];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		goto fail;
	p->qtest = pair[0];
	p->peer_qtest = pair[1];
	return &p->base;
fail:
	proxy_close(&p->base);
	return NULL;
}
