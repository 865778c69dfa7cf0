// SPDX-License-Identifier: MIT
/**
 * DOC: Vulkan
 *
 * Two submissions, the second behind a semaphore of the first, with a fence; they fill and copy a buffer, set an event
 * and write timestamps. Some drivers fill by a shader of vertices, which the model does not execute, so what was filled
 * is not asked; events and timestamps are written by the command streamer and have to be right.
 */
#include "user-vk.h"

#define SIZE		65536

static VkBuffer make_buffer(VkDevice device, VkPhysicalDevice gpu, const char *name)
{
	VkDeviceMemory memory;

	return vk_buffer(device, gpu, SIZE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
			 &memory, name);
}

/* Timestamp, fill, copy, timestamp, event. */
static void record(VkCommandBuffer cmd, VkBuffer a, VkBuffer b, VkQueryPool times, VkEvent event)
{
	const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	const VkBufferCopy copy = { .size = SIZE };
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
	};

	vk(vkBeginCommandBuffer(cmd, &begin), "vk/begin");
	vkCmdResetQueryPool(cmd, times, 0, 2);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, times, 0);
	vkCmdFillBuffer(cmd, a, 0, SIZE, 0x12345678);
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier,
			     0, NULL, 0, NULL);
	vkCmdCopyBuffer(cmd, a, b, 1, &copy);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times, 1);
	vkCmdSetEvent(cmd, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	vk(vkEndCommandBuffer(cmd), "vk/record");
}

int main(void)
{
	const VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1 };
	const VkInstanceCreateInfo instance_info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
	};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue_info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo device_info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info,
	};
	const VkQueryPoolCreateInfo query_info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2,
	};
	const VkEventCreateInfo event_info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
	const VkSemaphoreCreateInfo semaphore_info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
	const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	const VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkCommandBufferAllocateInfo cmd_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1,
	};
	VkSubmitInfo submits[2] = {
		{ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .signalSemaphoreCount = 1 },
		{ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .waitSemaphoreCount = 1, .pWaitDstStageMask = &stage },
	};
	VkSemaphore semaphore;
	VkInstance instance;
	VkPhysicalDevice gpu;
	VkCommandBuffer cmd;
	VkCommandPool pool;
	VkQueryPool times;
	uint64_t time[2];
	VkBuffer a, b;
	VkDevice device;
	VkQueue queue;
	VkEvent event;
	VkFence fence;

	vk(vkCreateInstance(&instance_info, NULL, &instance), "vk/instance");
	gpu = vk_pick(instance);
	step(gpu, "vk/gpu", "no device of Intel's");
	vk(vkCreateDevice(gpu, &device_info, NULL, &device), "vk/device");
	vkGetDeviceQueue(device, 0, 0, &queue);
	a = make_buffer(device, gpu, "vk/source");
	b = make_buffer(device, gpu, "vk/destination");
	vk(vkCreateQueryPool(device, &query_info, NULL, &times), "vk/query-pool");
	vk(vkCreateEvent(device, &event_info, NULL, &event), "vk/event");
	vk(vkCreateSemaphore(device, &semaphore_info, NULL, &semaphore), "vk/semaphore");
	vk(vkCreateFence(device, &fence_info, NULL, &fence), "vk/fence");
	vk(vkCreateCommandPool(device, &pool_info, NULL, &pool), "vk/command-pool");
	cmd_info.commandPool = pool;
	vk(vkAllocateCommandBuffers(device, &cmd_info, &cmd), "vk/command-buffer");
	record(cmd, a, b, times, event);

	submits[0].pCommandBuffers = &cmd;
	submits[0].pSignalSemaphores = &semaphore;
	submits[1].pWaitSemaphores = &semaphore;
	vk(vkQueueSubmit(queue, 2, submits, fence), "vk/submit");
	vk(vkWaitForFences(device, 1, &fence, VK_TRUE, WAIT_NS), "vk/wait");
	vk(vkGetEventStatus(device, event) == VK_EVENT_SET ? VK_SUCCESS : VK_EVENT_RESET, "vk/event-set");
	vk(vkGetQueryPoolResults(device, times, 0, 2, sizeof(time), time, sizeof(time[0]), VK_QUERY_RESULT_64_BIT),
	   "vk/timestamps");
	step(time[0] && time[0] <= time[1], "vk/timestamps-ordered", "%llu, then %llu",
	     (unsigned long long)time[0], (unsigned long long)time[1]);
	vk(vkDeviceWaitIdle(device), "vk/idle");
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	step(1, "vk/end", "-");
	return 0;
}
