// SPDX-License-Identifier: MIT
/**
 * DOC: Video decoding
 *
 * One frame of H.264 with a slice that holds nothing of sense goes through the decoder: surfaces, a context, the
 * buffers of a frame, submission, and a wait for the surface. What it shows is not asked: the model decodes nothing.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <va/va.h>
#include <va/va_drm.h>

#include "user.h"

#define WIDTH	64
#define HEIGHT	64

#define va(call, name)							\
	do {								\
		VAStatus status__ = (call);				\
									\
		step(status__ == VA_STATUS_SUCCESS, name, "%s", vaErrorStr(status__)); \
	} while (0)

static void fill_picture(VAPictureParameterBufferH264 *pic, VASurfaceID surface)
{
	memset(pic, 0, sizeof(*pic));
	pic->CurrPic.picture_id = surface;
	for (unsigned int i = 0; i < sizeof(pic->ReferenceFrames) / sizeof(pic->ReferenceFrames[0]); i++) {
		pic->ReferenceFrames[i].picture_id = VA_INVALID_SURFACE;
		pic->ReferenceFrames[i].flags = VA_PICTURE_H264_INVALID;
	}
	pic->picture_width_in_mbs_minus1 = WIDTH / 16 - 1;
	pic->picture_height_in_mbs_minus1 = HEIGHT / 16 - 1;
	pic->num_ref_frames = 1;
	pic->seq_fields.bits.chroma_format_idc = 1;
	pic->seq_fields.bits.frame_mbs_only_flag = 1;
	pic->pic_fields.bits.reference_pic_flag = 1;
}

int main(int argc, char **argv)
{
	VAPictureParameterBufferH264 pic;
	VAIQMatrixBufferH264 matrix;
	VASliceParameterBufferH264 slice;
	unsigned char data[64] = { 0x65, 0x88 };
	VASurfaceID surfaces[2];
	VABufferID buffers[4];
	VAConfigID config;
	VAContextID context;
	VADisplay display;
	VAImage image;
	int fd, major, minor;

	fd = open(argc > 1 ? argv[1] : "/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	step(fd >= 0, "va/open", "no device");
	display = vaGetDisplayDRM(fd);
	step(vaDisplayIsValid(display), "va/display", "it is not valid");
	va(vaInitialize(display, &major, &minor), "va/initialize");
	va(vaCreateConfig(display, VAProfileH264High, VAEntrypointVLD, NULL, 0, &config), "va/config");
	va(vaCreateSurfaces(display, VA_RT_FORMAT_YUV420, WIDTH, HEIGHT, surfaces, 2, NULL, 0), "va/surfaces");
	va(vaCreateContext(display, config, WIDTH, HEIGHT, VA_PROGRESSIVE, surfaces, 2, &context), "va/context");

	fill_picture(&pic, surfaces[0]);
	memset(&matrix, 16, sizeof(matrix));
	memset(&slice, 0, sizeof(slice));
	slice.slice_data_size = sizeof(data);
	slice.slice_type = 2;
	va(vaCreateBuffer(display, context, VAPictureParameterBufferType, sizeof(pic), 1, &pic, &buffers[0]),
	   "va/picture-parameters");
	va(vaCreateBuffer(display, context, VAIQMatrixBufferType, sizeof(matrix), 1, &matrix, &buffers[1]),
	   "va/matrix");
	va(vaCreateBuffer(display, context, VASliceParameterBufferType, sizeof(slice), 1, &slice, &buffers[2]),
	   "va/slice-parameters");
	va(vaCreateBuffer(display, context, VASliceDataBufferType, sizeof(data), 1, data, &buffers[3]),
	   "va/slice-data");
	va(vaBeginPicture(display, context, surfaces[0]), "va/begin");
	va(vaRenderPicture(display, context, buffers, 4), "va/render");
	va(vaEndPicture(display, context), "va/submit");
	va(vaSyncSurface(display, surfaces[0]), "va/wait");
	va(vaDeriveImage(display, surfaces[0], &image), "va/image");
	va(vaDestroyImage(display, image.image_id), "va/image-end");
	va(vaDestroyContext(display, context), "va/context-end");
	va(vaDestroySurfaces(display, surfaces, 2), "va/surfaces-end");
	va(vaTerminate(display), "va/end");
	close(fd);
	return 0;
}
