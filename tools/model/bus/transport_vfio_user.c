// SPDX-License-Identifier: MIT
/**
 * DOC: The vfio-user protocol, server side
 *
 * One client (QEMU's vfio-user-pci) connects to a socket and speaks VFIO over it: it asks for
 * regions and interrupts, maps guest memory by descriptor, accesses regions, and hands over an
 * eventfd for MSI. A request may ask for no reply (posted writes). Protocol: "vfio-user Protocol
 * Specification" in QEMU's docs/interop, message formats of version 0.0, which is what QEMU 10.1
 * and later negotiate.
 *
 * Not done: DMA by message (memory without a descriptor is refused), live migration, and the INTx,
 * MSI-X, error and request interrupts, of which there are none.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bus/bus.h"
#include "mem/mem.h"

enum vfu_command {
	VFU_VERSION = 1,
	VFU_DMA_MAP = 2,
	VFU_DMA_UNMAP = 3,
	VFU_DEVICE_GET_INFO = 4,
	VFU_DEVICE_GET_REGION_INFO = 5,
	VFU_DEVICE_GET_REGION_IO_FDS = 6,
	VFU_DEVICE_GET_IRQ_INFO = 7,
	VFU_DEVICE_SET_IRQS = 8,
	VFU_REGION_READ = 9,
	VFU_REGION_WRITE = 10,
	VFU_DEVICE_RESET = 13,
};

struct vfu_header {
	uint16_t id;
	uint16_t command;
	uint32_t size;				/* with the header */
	uint32_t flags;
	uint32_t error;				/* errno */
};

#define FLAG_TYPE_MASK		0xfu
#define   FLAG_COMMAND		  0u
#define   FLAG_REPLY		  1u
#define FLAG_NO_REPLY		0x10u
#define FLAG_ERROR		0x20u

struct vfu_dma_map {
	uint32_t argsz, flags;
	uint64_t offset, addr, size;
};

struct vfu_dma_unmap {
	uint32_t argsz, flags;
	uint64_t addr, size;
};

#define DMA_MAP_READ		1u
#define DMA_MAP_WRITE		2u
#define DMA_UNMAP_ALL		2u

struct vfu_device_info {
	uint32_t argsz, flags, regions, irqs;
};

#define DEVICE_FLAGS_RESET	1u
#define DEVICE_FLAGS_PCI	2u

struct vfu_region_info {
	uint32_t argsz, flags, index, cap_offset;
	uint64_t size, offset;
};

#define REGION_READ_WRITE	3u

struct vfu_irq_info {
	uint32_t argsz, flags, index, count;
};

#define IRQ_EVENTFD		1u

struct vfu_irq_set {
	uint32_t argsz, flags, index, start, count;
};

#define IRQ_SET_DATA_EVENTFD	4u
#define IRQ_SET_TRIGGER		0x20u

struct vfu_access {
	uint64_t offset;
	uint32_t region, count;
};

/* linux/vfio.h's numbers */
#define REGION_BAR0		0u
#define REGION_BAR2		2u
#define REGION_BAR4		4u
#define REGION_CONFIG		7u
#define NUM_REGIONS		9u
#define IRQ_MSI			1u
#define NUM_IRQS		5u

#define MAX_DATA		4096u		/* of one region access, as told to the client */
#define MAX_PAYLOAD		8192u

static const char capabilities[] =
	"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":4096,\"max_dma_maps\":1024}}";

struct vfu {
	struct transport base;
	char *path;				/* NULL: none to unlink */
	int listen_fd;
	int fd;
	int pidfd;				/* QEMU's, should it die before it connects */
	pthread_mutex_t msi_lock;
	int msi_fd;
	uint8_t in[MAX_PAYLOAD];
	uint8_t out[MAX_PAYLOAD];
};

static struct vfu *to_vfu(struct transport *t)
{
	return (struct vfu *)t;
}

static void set_msi_fd(struct vfu *v, int fd)
{
	pthread_mutex_lock(&v->msi_lock);
	if (v->msi_fd >= 0)
		close(v->msi_fd);
	v->msi_fd = fd;
	pthread_mutex_unlock(&v->msi_lock);
}

/*
 * Each request handler takes its payload in v->in and gives the reply's in v->out, and a negative
 * errno or 0.
 */
static int do_version(struct vfu *v, uint32_t len, struct io_fds *fds, uint32_t *out_len)
{
	const uint16_t version[2] = { 0, 0 };
	uint16_t theirs[2];

	(void)fds;
	if (len < sizeof(theirs))
		return -EINVAL;
	memcpy(theirs, v->in, sizeof(theirs));
	if (theirs[0] != 0) {
		model_log("vfio-user: the client speaks version %u.%u, not 0", theirs[0],
			  theirs[1]);
		return -ENOTSUP;
	}
	memcpy(v->out, version, sizeof(version));
	memcpy(v->out + sizeof(version), capabilities, sizeof(capabilities));
	*out_len = sizeof(version) + sizeof(capabilities);
	return 0;
}

static int do_dma_map(struct vfu *v, uint32_t len, struct io_fds *fds, uint32_t *out_len)
{
	struct vfu_dma_map m;
	struct gmem_region r;

	*out_len = 0;
	if (len < sizeof(m))
		return -EINVAL;
	memcpy(&m, v->in, sizeof(m));
	trace("DMA map 0x%llx+0x%llx, %u descriptors", (unsigned long long)m.addr,
	      (unsigned long long)m.size, fds->n);
	if (fds->n != 1) {
		/* A device's memory, not RAM: nothing a GPU is pointed at. */
		count("stray_accesses", "dma_maps_without_descriptor", 1);
		return 0;
	}
	if (!(m.flags & (DMA_MAP_READ | DMA_MAP_WRITE)))
		return -EINVAL;
	r = (struct gmem_region){
		.gpa = m.addr, .size = m.size, .offset = m.offset, .fd = fds->fd[0],
		.read_only = !(m.flags & DMA_MAP_WRITE),
	};
	fds->fd[0] = -1;
	return gmem_map(v->base.gpu, &r) ? -EINVAL : 0;
}

static int do_dma_unmap(struct vfu *v, uint32_t len, struct io_fds *fds, uint32_t *out_len)
{
	struct vfu_dma_unmap m;

	(void)fds;
	if (len < sizeof(m))
		return -EINVAL;
	memcpy(&m, v->in, sizeof(m));
	/*
	 * A client may unmap what was mapped without a descriptor, so finding nothing is no error.
	 */
	gmem_unmap(v->base.gpu, m.addr, m.size, m.flags & DMA_UNMAP_ALL);
	memcpy(v->out, &m, sizeof(m));
	*out_len = sizeof(m);
	return 0;
}

static int do_device_info(struct vfu *v, uint32_t len, struct io_fds *fds, uint32_t *out_len)
{
	const struct vfu_device_info info = {
		sizeof(info), DEVICE_FLAGS_RESET | DEVICE_FLAGS_PCI, NUM_REGIONS, NUM_IRQS,
	};

	(void)len;
	(void)fds;
	memcpy(v->out, &info, sizeof(info));
	*out_len = sizeof(info);
	return 0;
}

static uint64_t region_size(struct vfu *v, uint32_t region)
{
	switch (region) {
	case REGION_BAR0:
	case REGION_BAR2:
	case REGION_BAR4:
		return pci_bar_size(v->base.gpu, (enum pci_bar)region);
	case REGION_CONFIG:
		return CFG_SIZE;
	}
	return 0;
}

static int do_region_info(struct vfu *v, uint32_t len, struct io_fds *fds, uint32_t *out_len)
{
	struct vfu_region_info info;

	(void)fds;
	if (len < sizeof(info))
		return -EINVAL;
	memcpy(&info, v->in, sizeof(info));
	if (info.index >= NUM_REGIONS)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.cap_offset = 0;
	info.offset = 0;
	info.size = region_size(v, info.index);
	info.flags = info.size ? REGION_READ_WRITE : 0;
	memcpy(v->out, &info, sizeof(info));
	*out_len = sizeof(info);
	return 0;
}

static int do_irq_info(struct vfu *v, uint32_t len, struct io_fds *fds, uint32_t *out_len)
{
	struct vfu_irq_info info;

	(void)fds;
	if (len < sizeof(info))
		return -EINVAL;
	memcpy(&info, v->in, sizeof(info));
	if (info.index >= NUM_IRQS)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.count = info.index == IRQ_MSI;
	info.flags = info.count ? IRQ_EVENTFD : 0;
	memcpy(v->out, &info, sizeof(info));
	*out_len = sizeof(info);
	return 0;
}

static int do_set_irqs(struct vfu *v, uint32_t len, struct io_fds *fds, uint32_t *out_len)
{
	struct vfu_irq_set set;

	*out_len = 0;
	if (len < sizeof(set))
		return -EINVAL;
	memcpy(&set, v->in, sizeof(set));
	if (set.index >= NUM_IRQS || set.start > 1 || set.count > 1)
		return -EINVAL;
	if (set.index != IRQ_MSI || !(set.flags & IRQ_SET_TRIGGER))
		return 0;			/* there is nothing to mask or to trigger */
	if ((set.flags & IRQ_SET_DATA_EVENTFD) && set.count == 1 && fds->n == 1) {
		set_msi_fd(v, fds->fd[0]);
		fds->fd[0] = -1;
	} else {
		set_msi_fd(v, -1);
	}
	return 0;
}

static void config_access(struct gpu *gpu, uint64_t offset, uint8_t *data, uint32_t n, bool write)
{
	while (n) {
		/* Aligned dwords where possible: BARs are written as such. */
		unsigned int len = offset % 4 ? 1 : n >= 4 ? 4 : n >= 2 ? 2 : 1;
		uint32_t val = 0;

		if (write) {
			memcpy(&val, data, len);
			pci_cfg_write(gpu, (uint32_t)offset, len, val);
		} else {
			val = pci_cfg_read(gpu, (uint32_t)offset, len);
			memcpy(data, &val, len);
		}
		offset += len;
		data += len;
		n -= len;
	}
}

static void bar_access(struct gpu *gpu, enum pci_bar bar, uint64_t offset, uint8_t *data,
		       uint32_t n, bool write)
{
	while (n) {
		unsigned int len = n < 8 ? n : 8;
		uint64_t val = 0;

		if (write) {
			memcpy(&val, data, len);
			pci_bar_write(gpu, bar, offset, len, val);
		} else {
			val = pci_bar_read(gpu, bar, offset, len);
			memcpy(data, &val, len);
		}
		offset += len;
		data += len;
		n -= len;
	}
}

static int do_access(struct vfu *v, uint32_t len, bool write, uint32_t *out_len)
{
	struct vfu_access a;
	uint64_t size;
	uint8_t *data;

	if (len < sizeof(a))
		return -EINVAL;
	memcpy(&a, v->in, sizeof(a));
	size = a.region < NUM_REGIONS ? region_size(v, a.region) : 0;
	if (a.count > MAX_DATA || a.offset > size || a.count > size - a.offset ||
	    (write && len - sizeof(a) < a.count)) {
		count("stray_accesses", write ? "region_writes" : "region_reads", 1);
		return -EINVAL;
	}
	memcpy(v->out, &a, sizeof(a));
	data = (write ? v->in : v->out) + sizeof(a);
	if (a.region == REGION_CONFIG)
		config_access(v->base.gpu, a.offset, data, a.count, write);
	else
		bar_access(v->base.gpu, (enum pci_bar)a.region, a.offset, data, a.count, write);
	*out_len = (uint32_t)sizeof(a) + (write ? 0 : a.count);
	return 0;
}

static int handle(struct vfu *v, const struct vfu_header *h, struct io_fds *fds, uint32_t *out_len)
{
	uint32_t len = h->size - (uint32_t)sizeof(*h);

	*out_len = 0;
	switch (h->command) {
	case VFU_VERSION:
		return do_version(v, len, fds, out_len);
	case VFU_DMA_MAP:
		return do_dma_map(v, len, fds, out_len);
	case VFU_DMA_UNMAP:
		return do_dma_unmap(v, len, fds, out_len);
	case VFU_DEVICE_GET_INFO:
		return do_device_info(v, len, fds, out_len);
	case VFU_DEVICE_GET_REGION_INFO:
		return do_region_info(v, len, fds, out_len);
	case VFU_DEVICE_GET_IRQ_INFO:
		return do_irq_info(v, len, fds, out_len);
	case VFU_DEVICE_SET_IRQS:
		return do_set_irqs(v, len, fds, out_len);
	case VFU_REGION_READ:
		return do_access(v, len, false, out_len);
	case VFU_REGION_WRITE:
		return do_access(v, len, true, out_len);
	case VFU_DEVICE_RESET:
		pci_reset(v->base.gpu);
		return 0;
	}
	trace("vfio-user command %u is not done", h->command);
	return -EOPNOTSUPP;
}

static int reply(struct vfu *v, const struct vfu_header *to, uint32_t len, int error)
{
	struct {
		struct vfu_header header;
		uint8_t data[MAX_PAYLOAD];
	} msg;

	msg.header = (struct vfu_header){
		.id = to->id,
		.command = to->command,
		.size = (uint32_t)sizeof(msg.header) + (error ? 0 : len),
		.flags = FLAG_REPLY | (error ? FLAG_ERROR : 0),
		.error = (uint32_t)-error,
	};
	if (!error)
		memcpy(msg.data, v->out, len);
	return io_send(v->fd, &msg, msg.header.size);
}

/* Waits for the client, or for the end of the process that was to be it. */
static enum serve_result wait_for_client(struct vfu *v)
{
	struct pollfd fds[2] = {
		{ .fd = v->listen_fd, .events = POLLIN },
		{ .fd = v->pidfd, .events = POLLIN },	/* a negative one is ignored */
	};

	for (;;) {
		if (poll(fds, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			model_log("vfio-user: %s", strerror(errno));
			return SERVE_BROKEN;
		}
		if (fds[0].revents) {
			v->fd = accept4(v->listen_fd, NULL, NULL, SOCK_CLOEXEC);
			if (v->fd >= 0)
				return SERVE_PEER_LEFT;
			if (errno == EINTR || errno == ECONNABORTED)
				continue;
			model_log("vfio-user: %s", strerror(errno));
			return SERVE_BROKEN;
		}
		if (fds[1].revents) {
			model_log("vfio-user: QEMU ended before it connected");
			return SERVE_BROKEN;
		}
	}
}

static enum serve_result serve(struct transport *t)
{
	struct vfu *v = to_vfu(t);

	if (v->fd < 0 && wait_for_client(v) != SERVE_PEER_LEFT)
		return SERVE_BROKEN;
	for (;;) {
		struct io_fds fds = { .n = 0 };
		struct vfu_header h;
		uint32_t len, out_len;
		int got, error;

		got = io_recv(v->fd, &h, sizeof(h), &fds);
		if (got == 0)
			return SERVE_PEER_LEFT;
		if (got < 0) {
			model_log("vfio-user: %s",
				  errno ? strerror(errno) : "a message was cut short");
			io_fds_close(&fds);
			return SERVE_BROKEN;
		}
		if (h.size < sizeof(h) || h.size - sizeof(h) > MAX_PAYLOAD ||
		    (h.flags & FLAG_TYPE_MASK) != FLAG_COMMAND) {
			model_log("vfio-user: message %u of %u bytes, flags 0x%x, makes no sense",
				  h.command, h.size, h.flags);
			io_fds_close(&fds);
			return SERVE_BROKEN;
		}
		len = h.size - (uint32_t)sizeof(h);
		if (len && io_recv(v->fd, v->in, len, &fds) <= 0) {
			model_log("vfio-user: a message was cut short");
			io_fds_close(&fds);
			return SERVE_BROKEN;
		}
		error = handle(v, &h, &fds, &out_len);
		io_fds_close(&fds);
		if (!(h.flags & FLAG_NO_REPLY) && reply(v, &h, out_len, error)) {
			model_log("vfio-user: cannot answer: %s", strerror(errno));
			return SERVE_BROKEN;
		}
	}
}

static void msi(struct transport *t, uint64_t addr, uint32_t data)
{
	struct vfu *v = to_vfu(t);
	const uint64_t one = 1;
	bool sent;

	(void)addr;
	(void)data;
	pthread_mutex_lock(&v->msi_lock);
	sent = v->msi_fd >= 0 && write(v->msi_fd, &one, sizeof(one)) == sizeof(one);
	pthread_mutex_unlock(&v->msi_lock);
	if (!sent)
		count("interrupts_lost", "msi_without_eventfd", 1);
}

static int child_setup(struct transport *t)
{
	(void)t;
	return 0;
}

static int parent_setup(struct transport *t, int pidfd)
{
	to_vfu(t)->pidfd = pidfd;
	return 0;
}

static void vfu_close(struct transport *t)
{
	struct vfu *v = to_vfu(t);

	set_msi_fd(v, -1);
	if (v->fd >= 0)
		close(v->fd);
	if (v->listen_fd >= 0)
		close(v->listen_fd);
	if (v->path)
		unlink(v->path);
	free(v->path);
	pthread_mutex_destroy(&v->msi_lock);
	free(v);
}

static struct vfu *vfu_alloc(struct gpu *gpu)
{
	struct vfu *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->base = (struct transport){
		.name = "vfio-user",
		.gpu = gpu,
		.serve = serve,
		.msi = msi,
		.close = vfu_close,
		.child_setup = child_setup,
		.parent_setup = parent_setup,
	};
	v->listen_fd = -1;
	v->fd = -1;
	v->pidfd = -1;
	v->msi_fd = -1;
	pthread_mutex_init(&v->msi_lock, NULL);
	return v;
}

struct transport *transport_vfio_user_new_fd(struct gpu *gpu, int fd)
{
	struct vfu *v = vfu_alloc(gpu);

	if (!v)
		return NULL;
	v->fd = fd;
	return &v->base;
}

/*
 * Listens on a socket at path. One that a former run left behind is replaced, anything else that
 * lies there is not touched. NULL with errno on failure.
 */
struct transport *transport_vfio_user_new(struct gpu *gpu, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct vfu *v;
	int probe, err;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	strcpy(addr.sun_path, path);
	v = vfu_alloc(gpu);
	if (!v)
		return NULL;
	/* A socket without a listener refuses connections. */
	probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (probe >= 0) {
		if (connect(probe, (struct sockaddr *)&addr, sizeof(addr)) &&
		    errno == ECONNREFUSED)
			unlink(path);
		close(probe);
	}
	v->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (v->listen_fd < 0 || bind(v->listen_fd, (struct sockaddr *)&addr, sizeof(addr)))
		goto fail;
	v->path = strdup(path);
	if (!v->path || listen(v->listen_fd, 1))
		goto fail;
	return &v->base;
fail:
	err = errno;
	vfu_close(&v->base);
	errno = err;
	return NULL;
}
