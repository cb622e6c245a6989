// Ranges of the host for NVIDIA's profilers, where CUDA's headers have NVTX. They find the profiler themselves, and do nothing
// without one.
#include "launchers.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

static nvtxDomainHandle_t domain;

int interlock_profiler_start(void) {
    domain = nvtxDomainCreateA("interlock");
    return 1;
}

void interlock_profiler_push(const char *name) {
    nvtxEventAttributes_t range = {};
    range.version = NVTX_VERSION;
    range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    range.messageType = NVTX_MESSAGE_TYPE_ASCII;
    range.message.ascii = name;
    nvtxDomainRangePushEx(domain, &range);
}

void interlock_profiler_pop(void) { nvtxDomainRangePop(domain); }

#else

int interlock_profiler_start(void) { return 0; }
void interlock_profiler_push(const char *) {}
void interlock_profiler_pop(void) {}

#endif
