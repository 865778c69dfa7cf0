// SPDX-License-Identifier: MIT
/**
 * DOC: Compute shaders of Vulkan
 *
 * A shader runs on the device in two dispatches, of which the second has its number of groups in a buffer, and each has
 * constants of its own. What the shader leaves is compared with what the same formula gives here.
 */
#include "user-vk.h"
#include "user-vk-shader.h"

#define WORDS		4096u
#define BYTES		(WORDS * sizeof(uint32_t))
#define GROUP		90u		/* items of a workgroup */
#define COUNT		4000u		/* word of Out with the number of items that ran */

/* What a dispatch is told. */
struct push {
	uint32_t first, factor, count;
};

static const struct push pushes[2] = { { 0, 3, COUNT }, { 15 * GROUP, 7, COUNT } };
static const uint32_t groups[2][3] = { { 15, 1, 1 }, { 11, 1, 1 } };

static uint32_t input(uint32_t i)
{
	return i * 2654435761u >> 7;
}

static uint32_t expected(uint32_t i)
{
	uint32_t group = i / GROUP, sum = 0, all = groups[0][0] + groups[1][0];

	if (i == COUNT)
		return all * GROUP;
	if (group >= all)
		return 0;
	for (uint32_t k = 0; k < GROUP; k++)
		sum += input(group * GROUP + k) & 255;
	return (input(group * GROUP + GROUP - 1 - i % GROUP) + sum) * pushes[i >= pushes[1].first].factor;
}

static void compare(const uint32_t *to)
{
	uint32_t wrong = 0, first = 0;

	for (uint32_t i = 0; i < WORDS; i++) {
		if (to[i] == expected(i))
			continue;
		if (!wrong++)
			first = i;
	}
	step(!wrong, "vk-compute/results", "%u differ, the first is %u: 0x%x, not 0x%x", wrong, first, to[first],
	     expected(first));
}

static VkPipeline make_pipeline(VkDevice device, VkPipelineLayout layout)
{
	const VkShaderModuleCreateInfo module_info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(shader), .pCode = shader,
	};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT, .pName = "main",
		},
		.layout = layout,
	};
	VkPipeline pipeline;

	vk(vkCreateShaderModule(device, &module_info, NULL, &info.stage.module), "vk-compute/shader");
	vk(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), "vk-compute/pipeline");
	return pipeline;
}

static VkDescriptorSetLayout make_set_layout(VkDevice device)
{
	const VkDescriptorSetLayoutBinding bindings[2] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings,
	};
	VkDescriptorSetLayout layout;

	vk(vkCreateDescriptorSetLayout(device, &info, NULL, &layout), "vk-compute/set-layout");
	return layout;
}

static VkPipelineLayout make_layout(VkDevice device, VkDescriptorSetLayout set)
{
	const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct push) };
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set,
		.pushConstantRangeCount = 1, .pPushConstantRanges = &range,
	};
	VkPipelineLayout layout;

	vk(vkCreatePipelineLayout(device, &info, NULL, &layout), "vk-compute/layout");
	return layout;
}

static VkDescriptorSet make_set(VkDevice device, VkDescriptorSetLayout layout, VkBuffer to, VkBuffer from)
{
	const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 };
	const VkDescriptorPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	const VkDescriptorBufferInfo buffers[2] = { { to, 0, VK_WHOLE_SIZE }, { from, 0, VK_WHOLE_SIZE } };
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorSetCount = 1,
		.pSetLayouts = &layout,
	};
	VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .descriptorCount = 2,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = buffers,
	};

	vk(vkCreateDescriptorPool(device, &pool_info, NULL, &info.descriptorPool), "vk-compute/descriptor-pool");
	vk(vkAllocateDescriptorSets(device, &info, &write.dstSet), "vk-compute/set");
	/* The second one goes into the next binding. */
	vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	return write.dstSet;
}

static uint32_t *map(VkDevice device, VkDeviceMemory memory)
{
	void *words;

	vk(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &words), "vk-compute/map");
	return words;
}

static VkCommandBuffer make_commands(VkDevice device)
{
	const VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1,
	};
	VkCommandBuffer cmd;

	vk(vkCreateCommandPool(device, &pool_info, NULL, &info.commandPool), "vk-compute/command-pool");
	vk(vkAllocateCommandBuffers(device, &info, &cmd), "vk-compute/command-buffer");
	vk(vkBeginCommandBuffer(cmd, &begin), "vk-compute/begin");
	return cmd;
}

static void submit(VkDevice device, VkCommandBuffer cmd)
{
	const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd,
	};
	VkQueue queue;
	VkFence fence;

	vkGetDeviceQueue(device, 0, 0, &queue);
	vk(vkCreateFence(device, &fence_info, NULL, &fence), "vk-compute/fence");
	vk(vkQueueSubmit(queue, 1, &info, fence), "vk-compute/submit");
	vk(vkWaitForFences(device, 1, &fence, VK_TRUE, WAIT_NS), "vk-compute/wait");
}

static VkDevice open_device(VkPhysicalDevice *gpu)
{
	const VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1 };
	const VkInstanceCreateInfo instance_info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
	};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue_info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue_info,
	};
	VkInstance instance;
	VkDevice device;

	vk(vkCreateInstance(&instance_info, NULL, &instance), "vk-compute/instance");
	*gpu = vk_pick(instance);
	step(*gpu, "vk-compute/gpu", "no device of Intel's");
	vk(vkCreateDevice(*gpu, &info, NULL, &device), "vk-compute/device");
	return device;
}

int main(void)
{
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT, .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};
	VkDeviceMemory to_memory, from_memory, indirect_memory;
	VkBuffer to, from, indirect;
	VkDescriptorSetLayout sets;
	VkPipelineLayout layout;
	VkPhysicalDevice gpu;
	VkDescriptorSet set;
	VkCommandBuffer cmd;
	uint32_t *words;
	VkDevice device;

	device = open_device(&gpu);
	to = vk_buffer(device, gpu, BYTES, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &to_memory, "vk-compute/out");
	from = vk_buffer(device, gpu, BYTES, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &from_memory, "vk-compute/in");
	indirect = vk_buffer(device, gpu, sizeof(groups[1]), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, &indirect_memory,
			     "vk-compute/groups");
	memset(map(device, to_memory), 0, BYTES);
	words = map(device, from_memory);
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = input(i);
	memcpy(map(device, indirect_memory), groups[1], sizeof(groups[1]));

	sets = make_set_layout(device);
	layout = make_layout(device, sets);
	set = make_set(device, sets, to, from);
	cmd = make_commands(device);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, make_pipeline(device, layout));
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
	vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(pushes[0]), &pushes[0]);
	vkCmdDispatch(cmd, groups[0][0], groups[0][1], groups[0][2]);
	vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(pushes[1]), &pushes[1]);
	vkCmdDispatchIndirect(cmd, indirect, 0);
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
			     NULL, 0, NULL);
	vk(vkEndCommandBuffer(cmd), "vk-compute/record");
	submit(device, cmd);
	vkUnmapMemory(device, to_memory);
	compare(map(device, to_memory));
	return 0;
}
