// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the transports
 *
 * The test is the peer, on the other end of a socket pair: well-formed requests are answered, short
 * and senseless ones end the connection with one message and no harm, whatever the bytes. The
 * random ones come from a fixed seed.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "igen/regs/gt.h"
#include "test.h"

static struct gpu *gpu;
static struct transport *transport;
static int peer, qtest;
static pthread_t thread;
static enum serve_result result;

static void *serve(void *opaque)
{
	(void)opaque;
	result = transport->serve(transport);
	return NULL;
}

static void start(bool proxy)
{
	int a[2], b[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, a) || socketpair(AF_UNIX, SOCK_STREAM, 0, b))
		exit(2);
	gpu = test_gpu(NULL);
	peer = a[1];
	qtest = b[1];
	if (proxy) {
		transport = transport_proxy_new_fds(gpu, a[0], b[0]);
	} else {
		transport = transport_vfio_user_new_fd(gpu, a[0]);
		close(b[0]);
	}
	gpu->transport = transport;
	if (!transport || pthread_create(&thread, NULL, serve, NULL))
		exit(2);
}

/* Hangs up and gives what the transport made of it. */
static enum serve_result stop(void)
{
	shutdown(peer, SHUT_WR);
	pthread_join(thread, NULL);
	transport->close(transport);
	gpu->transport = NULL;
	gpu_free(gpu);
	close(peer);
	close(qtest);
	return result;
}

static void put(const void *buf, size_t len)
{
	/* The other end may have hung up already; that is no concern of the sender. */
	if (io_send(peer, buf, len) && errno != EPIPE && errno != ECONNRESET)
		exit(2);
}

static bool get(void *buf, size_t len)
{
	struct pollfd p = { .fd = peer, .events = POLLIN };
	size_t done = 0;

	while (done < len) {
		ssize_t n;

		if (poll(&p, 1, 300000) != 1)
			return false;
		n = read(peer, (char *)buf + done, len - done);
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static void put_with_fd(const void *buf, size_t len, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(peer, &msg, MSG_NOSIGNAL) != (ssize_t)len)
		exit(2);
}

/* ---- x-pci-proxy-dev ---- */

struct proxy_msg {
	int32_t command;
	uint32_t pad;
	uint64_t size;
	union {
		struct {
			uint32_t addr, val;
			int32_t len;
		} cfg;
		struct {
			uint64_t addr, val;
			uint32_t size;
			uint8_t memory, pad[3];
		} bar;
		struct {
			uint64_t gpa[8], size[8], offset[8];
		} mem;
	};
};

static uint64_t proxy_answer(void)
{
	struct {
		int32_t command;
		uint32_t pad;
		uint64_t size, value;
	} r = { 0 };

	if (!get(&r, sizeof(r)) || r.command != 1 || r.size != 8)
		return 0xbad0bad0bad0bad0ull;
	return r.value;
}

static uint64_t proxy_cfg(int32_t command, uint32_t addr, int32_t len, uint32_t val)
{
	struct proxy_msg m = { .command = command, .size = 12, .cfg = { addr, val, len } };

	put(&m, 16 + 12);
	return proxy_answer();
}

static uint64_t proxy_bar(int32_t command, uint64_t addr, uint32_t size, uint64_t val)
{
	struct proxy_msg m = { .command = command, .size = 24, .bar = { addr, val, size, 1 } };

	put(&m, 16 + 24);
	return proxy_answer();
}

static void test_proxy(void)
{
	struct proxy_msg reset = { .command = 7 };
	struct proxy_msg mem = {
		.command = 0,
		.size = 192,
		.mem = { { 0x1000 }, { 4096 }, { 0 } },
	};
	int fd = test_memory(4096);
	char line[128] = "";
	uint32_t v;

	start(true);
	check(proxy_cfg(3, 0, 4, 0) == 0x59168086, "proxy: configuration read");
	proxy_cfg(2, 0x10, 4, ~0u);
	check(proxy_cfg(3, 0x10, 4, 0) == 0xff000000, "proxy: 32-bit BARs");
	put(&reset, 16);
	check(proxy_answer() == 0, "proxy: reset is answered");
	check(proxy_cfg(3, 0x10, 4, 0) == 0, "proxy: it takes the addresses back");
	proxy_cfg(2, 0x10, 4, 0xe0000000);
	proxy_cfg(2, 0x14, 4, 1);
	check(proxy_cfg(3, 0x14, 4, 0) == 0, "proxy: there is no upper half");
	check(proxy_bar(5, 0xe0000000 + FUSE2, 4, 0) == 0x02800000, "proxy: register read");
	check(proxy_bar(4, 0xe0000000 + FORCEWAKE_GT, 4, 0x10001) == 0 &&
	      proxy_bar(5, 0xe0000000 + FORCEWAKE_ACK_GT, 4, 0) == 1, "proxy: register write");
	check(proxy_bar(5, 0x12345678, 4, 0) == ~0ull, "proxy: an address in no BAR");
	check(proxy_bar(5, 0xe0000000, 0, 0) == ~0ull && proxy_bar(5, 0xe0000000, 99, 0) == ~0ull,
	      "proxy: accesses of no size and of a large one");
	check(proxy_cfg(3, 0xfc, 99, 0) == 0xffffffff && proxy_cfg(3, 0, -1, 0) == 0xffffffff,
	      "proxy: configuration accesses of odd lengths");
	put_with_fd(&mem, 16 + 192, fd);
	check(proxy_cfg(3, 0, 2, 0) == 0x8086 && gmem_write32(gpu, 0x1004, 0xabcd) &&
	      pread(fd, &v, 4, 4) == 4 && v == 0xabcd, "proxy: memory by descriptor");
	put(&mem, 16 + 192);
	check(proxy_cfg(3, 0, 2, 0) == 0x8086 && !gmem_ptr(gpu, 0x1000, 4, false),
	      "proxy: memory without descriptors is none");
	proxy_cfg(2, 0xb0, 4, 0xfee00000);
	proxy_cfg(2, 0xb8, 2, 0x55);
	proxy_cfg(2, 0xae, 2, 1);
	proxy_cfg(2, 0x04, 2, 6);
	msi_raise(gpu);
	check(read(qtest, line, sizeof(line) - 1) > 0 && !strcmp(line, "writel 0xfee00000 0x55\n"),
	      "proxy: an MSI is a write over qtest");
	check(write(qtest, "OK\nOK\n", 6) == 6 && stop() == SERVE_PEER_LEFT,
	      "proxy: an orderly end");
	close(fd);
}

/* Message signalled interrupts on, at an address. */
static void proxy_msi_on(uint32_t addr)
{
	proxy_cfg(2, 0xb0, 4, addr);
	proxy_cfg(2, 0xb8, 2, 0x55);
	proxy_cfg(2, 0xae, 2, 1);
	proxy_cfg(2, 0x04, 2, 6);
}

#define STORM	20000u

/* As an engine does it: with gpu->lock held. */
static void *raise_many(void *opaque)
{
	(void)opaque;
	for (unsigned int i = 0; i < STORM; i++) {
		pthread_mutex_lock(&gpu->lock);
		msi_raise(gpu);
		pthread_mutex_unlock(&gpu->lock);
	}
	return NULL;
}

/* Lines that lie in the qtest socket. */
static unsigned int qtest_lines(void)
{
	char buf[4096];
	unsigned int lines = 0;
	ssize_t n;

	while ((n = recv(qtest, buf, sizeof(buf), MSG_DONTWAIT)) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += buf[i] == '\n';
	return lines;
}

/* QEMU's main loop does not come to read qtest's lines: accesses are answered all the same. */
static void test_proxy_storm(void)
{
	struct pollfd p;
	pthread_t t;
	bool answered;

	counters_reset();
	start(true);
	p = (struct pollfd){ .fd = qtest, .events = POLLIN };
	proxy_cfg(2, 0x10, 4, 0xe0000000);
	proxy_msi_on(0xfee00000);
	if (pthread_create(&t, NULL, raise_many, NULL))
		exit(2);
	answered = true;
	for (unsigned int i = 0; i < 50 && answered; i++)
		answered = proxy_bar(5, 0xe0000000 + FUSE2, 4, 0) == 0x02800000;
	check(answered, "proxy: accesses are answered in a storm of MSIs that nothing reads");
	if (!answered) {
		/* The storm's thread sleeps in a send; nothing can be cleaned up. */
		printf("1..%u\n", tests);
		fflush(stdout);
		_exit(1);
	}
	pthread_join(t, NULL);
	check(counter_value("interrupts", "msi") == STORM &&
	      counter_value("interrupts_merged", "msi") == STORM - 2, "proxy: equal MSIs merge");
	check(qtest_lines() == 1, "proxy: one line is on its way");
	check(write(qtest, "OK\n", 3) == 3 && poll(&p, 1, 300000) == 1 && qtest_lines() == 1,
	      "proxy: its answer brings the next");
	check(write(qtest, "OK\n", 3) == 3 && poll(&p, 1, 100) == 0, "proxy: then none waits");
	msi_raise(gpu);
	check(poll(&p, 1, 300000) == 1 && qtest_lines() == 1, "proxy: a new MSI is sent at once");
	stop();
}

/* The model writes to no address that the guest programs for MSIs: qtest may write where the GPU may not. */
static void test_proxy_msi_address(void)
{
	static const uint32_t addrs[] = { 0, 0x1000, 0xe0044300, 0xfec00000, 0xfedffffc, 0xfef00000 };

	counters_reset();
	start(true);
	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
		proxy_msi_on(addrs[i]);
		msi_raise(gpu);
	}
	proxy_msi_on(0xfee00000);
	proxy_cfg(2, 0xb4, 4, 1);
	msi_raise(gpu);
	check(counter_value("interrupts_lost", "msi_address") == ARRAY_SIZE(addrs) + 1 &&
	      qtest_lines() == 0, "proxy: MSIs go to the interrupt window only");
	proxy_cfg(2, 0xb4, 4, 0);
	proxy_cfg(2, 0xb0, 4, 0xfeeffffc);
	msi_raise(gpu);
	check(qtest_lines() == 1, "proxy: all of it");
	stop();
}

static enum serve_result broken(bool proxy, const void *buf, size_t len)
{
	start(proxy);
	put(buf, len);
	return stop();
}

static void test_proxy_garbage(void)
{
	struct proxy_msg m = { .command = 3, .size = 12 };
	struct proxy_msg huge = { .command = 5, .size = ~0ull };
	struct proxy_msg none = { .command = 5, .size = 0 };
	struct proxy_msg unknown = { .command = 1000, .size = 0 };
	struct proxy_msg negative = { .command = -1, .size = 8 };

	check(broken(true, "", 0) == SERVE_PEER_LEFT, "proxy: a peer that says nothing");
	check(broken(true, &m, 7) == SERVE_BROKEN, "proxy: half a header");
	check(broken(true, &m, 20) == SERVE_BROKEN, "proxy: half a payload");
	check(broken(true, &huge, 16) == SERVE_BROKEN, "proxy: a huge size");
	check(broken(true, &none, 16) == SERVE_BROKEN, "proxy: a size that is missing");
	check(broken(true, &unknown, 16) == SERVE_BROKEN, "proxy: an unknown command");
	check(broken(true, &negative, 16) == SERVE_BROKEN, "proxy: a negative command");
}

/* ---- vfio-user ---- */

struct vfu_msg {
	uint16_t id, command;
	uint32_t size, flags, error;
	uint8_t data[256];
};

static uint16_t next_id = 1;

/* Sends a request and takes the reply; gives the error, 0 or -1 for no proper reply. */
static int vfu(uint16_t command, const void *in, uint32_t len, int fd, struct vfu_msg *out)
{
	struct vfu_msg m = { next_id++, command, 16 + len, 0, 0, { 0 } };

	if (len)
		memcpy(m.data, in, len);
	if (fd >= 0)
		put_with_fd(&m, m.size, fd);
	else
		put(&m, m.size);
	if (!get(out, 16) || out->id != m.id || out->command != command || out->size < 16 ||
	    out->size > sizeof(*out) || !(out->flags & 1))
		return -1;
	if (out->size > 16 && !get(out->data, out->size - 16))
		return -1;
	return out->flags & 0x20 ? (int)out->error : 0;
}

static int vfu_access(bool write, uint32_t region, uint64_t offset, uint32_t n, uint64_t *v)
{
	struct {
		uint64_t offset;
		uint32_t region, count;
		uint64_t v;
	} in = { offset, region, n, *v };
	struct vfu_msg out;
	int err = vfu(write ? 10 : 9, &in, write && n <= 8 ? 16 + n : 16, -1, &out);

	if (!err && !write) {
		*v = 0;
		memcpy(v, out.data + 16, n <= 8 ? n : 8);
	}
	return err;
}

static uint64_t vfu_read(uint32_t region, uint64_t offset, uint32_t n)
{
	uint64_t v = 0;

	return vfu_access(false, region, offset, n, &v) ? 0xbad0bad0bad0bad0ull : v;
}

static int vfu_write(uint32_t region, uint64_t offset, uint32_t n, uint64_t v)
{
	return vfu_access(true, region, offset, n, &v);
}

static void test_vfu_info(void)
{
	const uint16_t version[2] = { 0, 1 }, other[2] = { 7, 0 };
	const uint32_t region[8] = { 32, 0, 2 }, no_region[8] = { 32, 0, 99 };
	const uint32_t irq[4] = { 16, 0, 1 }, no_irq[4] = { 16, 0, 99 };
	struct vfu_msg out;
	uint64_t size;
	uint32_t w[8];

	check(vfu(1, version, 4, -1, &out) == 0 && !memcmp(out.data, "\0\0\0\0{", 5),
	      "vfio-user: version");
	check(vfu(1, other, 4, -1, &out) == ENOTSUP, "vfio-user: a version of the future");
	check(vfu(1, version, 2, -1, &out) == EINVAL, "vfio-user: a short version");
	vfu(4, w, 16, -1, &out);
	memcpy(w, out.data, 16);
	check(w[1] == 3 && w[2] == 9 && w[3] == 5, "vfio-user: device info");
	check(vfu(5, region, 32, -1, &out) == 0, "vfio-user: region info");
	memcpy(&size, out.data + 16, 8);
	check(size == 256u << 20, "vfio-user: the aperture's size");
	check(vfu(5, no_region, 32, -1, &out) == EINVAL, "vfio-user: no such region");
	vfu(7, irq, 16, -1, &out);
	memcpy(w, out.data, 16);
	check(w[1] == 1 && w[3] == 1, "vfio-user: one MSI");
	check(vfu(7, no_irq, 16, -1, &out) == EINVAL, "vfio-user: no such interrupt");
	check(vfu(99, NULL, 0, -1, &out) == EOPNOTSUPP, "vfio-user: unknown command");
	check(vfu(13, NULL, 0, -1, &out) == 0, "vfio-user: reset");
}

static void test_vfu_access(void)
{
	struct vfu_msg posted = { 99, 10, 16 + 20, 0x10, 0, { 0 } };
	const uint64_t at = FORCEWAKE_GT;
	const uint32_t rest[3] = { 0, 4, 0x10001 };

	check(vfu_read(7, 0, 4) == 0x59168086, "vfio-user: configuration");
	check(vfu_read(7, 0x10, 4) == 4, "vfio-user: 64-bit BARs");
	check(vfu_write(7, 0x10, 4, 0xe0000000) == 0 && vfu_read(7, 0x10, 8) == 0xe0000004,
	      "vfio-user: written");
	check(vfu_read(0, FUSE2, 4) == 0x02800000, "vfio-user: register");
	memcpy(posted.data, &at, 8);
	memcpy(posted.data + 8, rest, 12);
	put(&posted, posted.size);
	check(vfu_read(0, FORCEWAKE_ACK_GT, 4) == 1, "vfio-user: a posted write has no reply");
	check(vfu_read(0, 1u << 24, 4) == 0xbad0bad0bad0bad0ull, "vfio-user: behind the BAR");
	check(vfu_read(0, ~0ull, 4) == 0xbad0bad0bad0bad0ull, "vfio-user: far behind it");
	check(vfu_read(6, 0, 4) == 0xbad0bad0bad0bad0ull, "vfio-user: a region of no size");
	check(vfu_read(1000, 0, 4) == 0xbad0bad0bad0bad0ull, "vfio-user: no region");
	check(vfu_read(0, 0, 1u << 20) == 0xbad0bad0bad0bad0ull, "vfio-user: too much at once");
	check(vfu_write(0, 0x4ddc, 4, 7) == 0 && vfu_read(0, 0x4ddc, 4) == 7, "vfio-user: write");
	check(vfu_write(0, 0x4ddc, 4000, 7) == EINVAL, "vfio-user: a write without its data");
}

static void test_vfu_dma_irq(void)
{
	struct {
		uint32_t argsz, flags;
		uint64_t offset, addr, size;
	} map = { 32, 3, 4096, 0x100000, 4096 };
	struct {
		uint32_t argsz, flags;
		uint64_t addr, size;
	} unmap = { 24, 0, 0x100000, 4096 };
	const uint32_t set[5] = { 20, 0x24, 1, 0, 1 }, clear[5] = { 20, 0x21, 1, 0, 0 };
	const uint32_t bad[5] = { 20, 0x24, 1, 0, 77 };
	int fd = test_memory(8192), event = eventfd(0, EFD_NONBLOCK);
	struct vfu_msg out;
	uint64_t n;
	uint32_t v;

	check(vfu(2, &map, 32, fd, &out) == 0 && gmem_write32(gpu, 0x100008, 0x1234) &&
	      pread(fd, &v, 4, 4104) == 4 && v == 0x1234, "vfio-user: DMA map");
	map.offset = 1 << 20;
	map.addr = 0x200000;
	check(vfu(2, &map, 32, fd, &out) == EINVAL, "vfio-user: map behind the end of the file");
	check(vfu(2, &map, 32, -1, &out) == 0 && !gmem_ptr(gpu, 0x200000, 4, false),
	      "vfio-user: a map without a descriptor is no memory");
	check(vfu(2, &map, 8, -1, &out) == EINVAL, "vfio-user: a short map");
	map.offset = 0;
	map.flags = 1;
	check(vfu(2, &map, 32, fd, &out) == 0 && gmem_read32(gpu, 0x200000, &v) &&
	      !gmem_write32(gpu, 0x200000, 1), "vfio-user: a map for reading");
	map.flags = 0;
	map.addr = 0x300000;
	check(vfu(2, &map, 32, fd, &out) == EINVAL, "vfio-user: a map for nothing");
	check(vfu(3, &unmap, 24, -1, &out) == 0 && !gmem_ptr(gpu, 0x100000, 4, false), "vfio-user: unmap");
	unmap.flags = 2;
	check(vfu(3, &unmap, 24, -1, &out) == 0, "vfio-user: unmap all");
	check(vfu(8, set, 20, event, &out) == 0, "vfio-user: an eventfd for MSI");
	check(vfu_write(7, 0xae, 2, 1) == 0 && vfu_write(7, 0x04, 2, 6) == 0, "vfio-user: MSI on");
	msi_raise(gpu);
	msi_raise(gpu);
	check(read(event, &n, 8) == 8 && n == 2, "vfio-user: two MSIs arrive");
	check(vfu(8, bad, 20, -1, &out) == EINVAL, "vfio-user: more vectors than there are");
	check(vfu(8, clear, 20, -1, &out) == 0, "vfio-user: MSI taken away");
	msi_raise(gpu);
	check(read(event, &n, 8) < 0, "vfio-user: then there is none");
	close(fd);
	close(event);
}

static void test_vfu(void)
{
	start(false);
	test_vfu_info();
	test_vfu_access();
	test_vfu_dma_irq();
	check(stop() == SERVE_PEER_LEFT, "vfio-user: an orderly end");
}

static void test_vfu_garbage(void)
{
	struct vfu_msg m = { 1, 9, 32, 0, 0, { 0 } };
	struct vfu_msg tiny = { 1, 9, 3, 0, 0, { 0 } };
	struct vfu_msg huge = { 1, 9, ~0u, 0, 0, { 0 } };
	struct vfu_msg answer = { 1, 9, 16, 1, 0, { 0 } };

	check(broken(false, &m, 9) == SERVE_BROKEN, "vfio-user: half a header");
	check(broken(false, &m, 20) == SERVE_BROKEN, "vfio-user: half a payload");
	check(broken(false, &tiny, 16) == SERVE_BROKEN, "vfio-user: smaller than its header");
	check(broken(false, &huge, 16) == SERVE_BROKEN, "vfio-user: a huge size");
	check(broken(false, &answer, 16) == SERVE_BROKEN, "vfio-user: a reply to nothing");
}

/* xorshift64 */
static uint64_t rng = 0x9e3779b97f4a7c15ull;

static uint64_t next(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

/* Takes and drops what comes back, so that the other side is not blocked. */
static void *drain(void *opaque)
{
	char buf[4096];

	(void)opaque;
	while (read(peer, buf, sizeof(buf)) > 0)
		;
	return NULL;
}

/* Headers that make sense with random bodies, then plain noise: neither crashes nor hangs. */
static void test_fuzz(bool proxy)
{
	static const uint64_t proxy_size[] = { 192, 0, 12, 12, 24, 24, 0, 0 };

	for (unsigned int round = 0; round < 40; round++) {
		pthread_t t;

		start(proxy);
		if (pthread_create(&t, NULL, drain, NULL))
			exit(2);
		for (unsigned int i = 0; i < 200; i++) {
			uint64_t body[24];

			for (unsigned int k = 0; k < 24; k++)
				body[k] = next() >> (next() & 63);
			if (proxy) {
				static const int commands[] = { 0, 2, 3, 4, 5, 6, 7 };
				int c = commands[next() % ARRAY_SIZE(commands)];
				struct proxy_msg m = { .command = c, .size = proxy_size[c] };

				put(&m, 16);
				put(body, proxy_size[c]);
			} else {
				uint32_t len = next() % 128;
				struct vfu_msg m = { 1, next() % 15, 16 + len, next() & 0x10, 0,
						     { 0 } };

				put(&m, 16);
				put(body, len);
			}
		}
		for (unsigned int k = 0; k < 8 && round & 1; k++) {
			uint64_t noise = next();

			put(&noise, 8);
		}
		shutdown(peer, SHUT_WR);
		pthread_join(thread, NULL);
		transport->close(transport);
		pthread_join(t, NULL);
		gpu->transport = NULL;
		gpu_free(gpu);
		close(peer);
		close(qtest);
	}
	check(true, "%s: random requests", proxy ? "proxy" : "vfio-user");
}

int main(void)
{
	test_proxy();
	test_proxy_storm();
	test_proxy_msi_address();
	test_proxy_garbage();
	test_vfu();
	test_vfu_garbage();
	test_fuzz(true);
	test_fuzz(false);
	return test_end();
}
