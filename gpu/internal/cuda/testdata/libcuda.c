/* A library with the functions of the CUDA driver that package cuda calls, as cuda.h
 * declares them, for the test of the way there. The device's memory is the host's, the
 * only kernel is that of cuda_test.go, and all is done at once. What does not come as it
 * should is the result 1. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct thing *handle;

static int started, contexts, streams, events;
static _Thread_local int current;
static size_t allocations;
static char context, module, function, stream, event;

#define CHECK(x) do { if (!(x)) return 1; } while (0)
#define HANDLE(x) ((handle)(void *)&(x))

CUresult cuInit(unsigned flags) { CHECK(flags == 0); started = 1; return 0; }
CUresult cuDriverGetVersion(int *v) { *v = 13000; return 0; }
CUresult cuDeviceGetCount(int *n) { CHECK(started); *n = 2; return 0; }
CUresult cuDeviceGet(CUdevice *d, int i) { CHECK(i == 0 || i == 1); *d = 40 + i; return 0; }
CUresult cuDeviceGetName(char *name, int n, CUdevice d) {
	CHECK(d == 40 || d == 41);
	strncpy(name, "a device in C", (size_t)n);
	return 0;
}
CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) { CHECK(d >= 40); *n = 5ull << 32; return 0; }
CUresult cuDeviceGetAttribute(int *v, int what, CUdevice d) {
	CHECK(d == 40 || d == 41);
	*v = what == 13 ? 1410000 : what == 16 ? 108 : what == 75 ? 8 : what == 76 ? 6 : -1;
	return *v < 0;
}
CUresult cuDevicePrimaryCtxRetain(handle *c, CUdevice d) {
	CHECK(d == 41);
	contexts++;
	*c = HANDLE(context);
	return 0;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d) {
	CHECK(d == 41 && contexts == 1 && streams == 0 && events == 0 && allocations == 0);
	CHECK(current == 0);
	contexts--;
	return 0;
}
CUresult cuCtxPushCurrent_v2(handle c) {
	CHECK(c == HANDLE(context) && contexts && current == 0);
	current++;
	return 0;
}
CUresult cuCtxPopCurrent_v2(handle *c) {
	CHECK(current == 1);
	current--;
	*c = HANDLE(context);
	return 0;
}
CUresult cuModuleLoadDataEx(handle *m, const void *image, unsigned n, int *options, void **values) {
	CHECK(n == 4 && options[0] == 3 && options[1] == 4 && options[2] == 5 && options[3] == 6);
	CHECK((size_t)values[1] == 8192 && (size_t)values[3] == 8192);
	if (strcmp(image, "a text") != 0) {
		strcpy(values[2], "what is wrong");
		values[3] = (void *)13;
		strcpy(values[0], "and more");
		return 218;
	}
	*m = HANDLE(module);
	return 0;
}
CUresult cuModuleUnload(handle m) { CHECK(m == HANDLE(module)); return 0; }
CUresult cuModuleGetFunction(handle *f, handle m, const char *name) {
	CHECK(m == HANDLE(module));
	if (strcmp(name, "double") != 0)
		return 500;
	*f = HANDLE(function);
	return 0;
}
CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) {
	if (n == 77)
		return 2;
	*p = (CUdeviceptr)(uintptr_t)malloc(n);
	allocations++;
	return 0;
}
CUresult cuMemFree_v2(CUdeviceptr p) { free((void *)(uintptr_t)p); allocations--; return 0; }
CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags) {
	CHECK(flags == 0);
	*p = malloc(n);
	allocations++;
	return 0;
}
CUresult cuMemFreeHost(void *p) { free(p); allocations--; return 0; }
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, handle s) {
	CHECK(s == HANDLE(stream));
	memcpy((void *)(uintptr_t)to, from, n);
	return 0;
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, handle s) {
	CHECK(s == HANDLE(stream));
	memcpy(to, (void *)(uintptr_t)from, n);
	return 0;
}
CUresult cuStreamCreate(handle *s, unsigned flags) {
	CHECK(flags == 1);
	streams++;
	*s = HANDLE(stream);
	return 0;
}
CUresult cuStreamDestroy_v2(handle s) { CHECK(s == HANDLE(stream)); streams--; return 0; }
/* Two events are for timing. Times are those of two records, which have numbers. */
static int begin, end, records, reached[2];
CUresult cuEventCreate(handle *e, unsigned flags) {
	static int made;
	CHECK(flags == 3 || (flags == 0 && made < 2));
	events++;
	*e = flags == 3 ? HANDLE(event) : made++ ? HANDLE(end) : HANDLE(begin);
	return 0;
}
CUresult cuEventRecord(handle e, handle s) {
	CHECK(s == HANDLE(stream));
	CHECK(e == HANDLE(event) || e == HANDLE(begin) || e == HANDLE(end));
	records++;
	if (e != HANDLE(event)) reached[e == HANDLE(end)] = records;
	return 0;
}
CUresult cuEventElapsedTime(float *ms, handle from, handle to) {
	CHECK(from == HANDLE(begin) && to == HANDLE(end));
	*ms = 1.5f * (float)(reached[1] - reached[0]);
	return 0;
}
CUresult cuEventSynchronize(handle e) { CHECK(e == HANDLE(event)); return 0; }
CUresult cuEventDestroy_v2(handle e) {
	CHECK(e == HANDLE(event) || e == HANDLE(begin) || e == HANDLE(end));
	events--;
	return 0;
}
CUresult cuLaunchKernel(handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
	unsigned by, unsigned bz, unsigned shared, handle s, void **params, void **extra) {
	CHECK(f == HANDLE(function) && gy == 1 && gz == 1 && bx == 128 && by == 1 && bz == 1);
	CHECK(shared == 0 && s == HANDLE(stream) && params == NULL);
	CHECK(extra[0] == (void *)1 && extra[2] == (void *)2 && extra[4] == NULL);
	CHECK(*(size_t *)extra[3] == 32);
	uint64_t block[4];
	memcpy(block, extra[1], 32);
	uint32_t n = (uint32_t)block[0];
	CHECK(gx == (n + 127) / 128);
	const uint8_t *in = (void *)(uintptr_t)block[1];
	uint8_t *out = (void *)(uintptr_t)block[2];
	for (uint32_t i = 0; i < n; i++)
		out[i] = (uint8_t)(2 * in[i] + block[3]);
	return 0;
}
CUresult cuGetErrorName(CUresult r, const char **name) {
	*name = r == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : NULL;
	return r == 2 ? 0 : 1;
}
