// The ends of a program that a kernel may reach: each ends the process at once, so that a candidate that calls one is
// seen to die at run time. Linked in front of the C library, whose own versions would bring writable state along.
// No headers: the declarations of these functions differ from one C library to the next.

extern "C" {

[[noreturn]] void abort()
{
  __builtin_trap();
}

[[noreturn]] void _Exit(int status)
{
  constexpr long exit_group = 231;
  asm volatile("syscall" : : "a"(exit_group), "D"(status) : "rcx", "r11", "memory");
  __builtin_trap();
}

[[noreturn]] void exit(int status)
{
  _Exit(status);
}

[[noreturn]] void _exit(int status)
{
  _Exit(status);
}

[[noreturn]] void quick_exit(int status)
{
  _Exit(status);
}

[[noreturn]] void __assert_fail(const char*, const char*, unsigned, const char*)
{
  __builtin_trap();
}

[[noreturn]] void __stack_chk_fail()
{
  __builtin_trap();
}
}
