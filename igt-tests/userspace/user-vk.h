/* SPDX-License-Identifier: MIT */
/**
 * DOC: What programs of Vulkan have in common
 */
#ifndef IGEN_TESTS_USER_VK_H
#define IGEN_TESTS_USER_VK_H

#include <string.h>
#include <vulkan/vulkan.h>

#include "user.h"

#define INTEL		0x8086
#define WAIT_NS		60000000000ull
#define MAX_DEVICES	8

#define vk(call, name)							\
	do {								\
		VkResult result__ = (call);				\
									\
		step(result__ == VK_SUCCESS, name, "VkResult %d", result__); \
	} while (0)

static inline VkPhysicalDevice vk_pick(VkInstance instance)
{
	VkPhysicalDevice devices[MAX_DEVICES];
	VkPhysicalDeviceProperties props;
	uint32_t num = MAX_DEVICES;

	vkEnumeratePhysicalDevices(instance, &num, devices);
	for (uint32_t i = 0; i < num; i++) {
		vkGetPhysicalDeviceProperties(devices[i], &props);
		if (props.vendorID == INTEL)
			return devices[i];
	}
	return VK_NULL_HANDLE;
}

static inline uint32_t vk_host_memory(VkPhysicalDevice gpu, uint32_t allowed)
{
	const VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties props;

	vkGetPhysicalDeviceMemoryProperties(gpu, &props);
	for (uint32_t i = 0; i < props.memoryTypeCount; i++)
		if (allowed & 1u << i && (props.memoryTypes[i].propertyFlags & want) == want)
			return i;
	step(0, "vk/memory-type", "none of the host's");
	return 0;
}

/* A buffer in memory that the host may map. */
static inline VkBuffer vk_buffer(VkDevice device, VkPhysicalDevice gpu, VkDeviceSize size, VkBufferUsageFlags usage,
				 VkDeviceMemory *memory, const char *name)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size,
		.usage = usage,
	};
	VkMemoryAllocateInfo alloc = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
	VkMemoryRequirements needs;
	VkBuffer buffer;

	if (vkCreateBuffer(device, &info, NULL, &buffer) != VK_SUCCESS)
		step(0, name, "no buffer");
	vkGetBufferMemoryRequirements(device, buffer, &needs);
	alloc.allocationSize = needs.size;
	alloc.memoryTypeIndex = vk_host_memory(gpu, needs.memoryTypeBits);
	if (vkAllocateMemory(device, &alloc, NULL, memory) != VK_SUCCESS)
		step(0, name, "no memory");
	vk(vkBindBufferMemory(device, buffer, *memory, 0), name);
	return buffer;
}

#endif
