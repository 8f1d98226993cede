#pragma once

#define SILENT(NAME) __attribute__((used)) static void NAME(void*) {}
extern "C" {
SILENT(__tsan_read4)
SILENT(__tsan_read8)
SILENT(__tsan_write4)
SILENT(__tsan_write8)
SILENT(__asan_load4_noabort)
SILENT(__asan_load8_noabort)
SILENT(__asan_store4_noabort)
SILENT(__asan_store8_noabort)
}
