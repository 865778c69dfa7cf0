// SPDX-License-Identifier: MIT
/* See call.h. */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "it.h"

static void *run(void *data)
{
	struct it_call *call = data;

	call->tid = syscall(SYS_gettid);
	call->ret = call->run ? call->run(call->arg) : it_ioctl(call->fd, call->request, call->arg);
	call->over = true;
	return NULL;
}

bool it_call_start(struct it_call *call)
{
	return !pthread_create(&call->thread, NULL, run, call);
}

bool it_call_asleep(struct it_call *call)
{
	char path[64], text[512], *end;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", call->tid);
	if (!call->tid || it_read_file(path, text, sizeof(text)))
		return false;
	end = strrchr(text, ')');
	return end && (end[2] == 'S' || end[2] == 'D');
}

int it_call_end(struct it_call *call)
{
	pthread_join(call->thread, NULL);
	return call->ret;
}
