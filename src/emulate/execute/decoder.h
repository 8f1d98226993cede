// From statements to operations: resolves operands and chooses handlers. (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hone::emulate::execute {

struct Register {
  std::uint32_t offset = 0;
  int bytes = 0; // of a lane; 0: a predicate
};

// That an operation reads or writes a register.
struct RegisterUse {
  std::size_t op = 0;
  std::uint32_t at = 0;
  bool writes = false;
};

// Of a function, while it is decoded.
// Wide because each question that an instruction's decoder may ask has a method.
class Decoder {
public:
  // `globals`: the addresses of the module's global variables.
  Decoder(const ptx::Module& module, const ptx::Function& function,
          const std::map<std::string, std::uint64_t>& globals);
  Result<Code> decode();

  // --- for the operations' decoders: the statement at hand ---

  const ptx::Statement& statement() const { return *m_statement; }
  const std::string& name() const { return m_statement->opcode.front(); }
  std::string_view part(std::size_t index) const;
  std::string_view type() const { return m_statement->opcode.back(); }
  bool has(std::string_view modifier) const;
  std::uint8_t rounding() const; // of floats, as RoundingScope takes it
  std::size_t operands() const { return m_statement->operands.size(); }
  const ptx::Operand& operand(std::size_t index) const;

  // Where lanes of so many bytes are read: a register, or a constant. Of a float's type, decimals are of it.
  std::uint32_t source(const ptx::Operand& operand, int bytes);
  std::uint32_t source(std::size_t index, int bytes) { return source(operand(index), bytes); }
  std::uint32_t source(std::size_t index) { return source(index, ptx::bytes_of_type(type())); }
  std::uint32_t destination(const ptx::Operand& operand, int bytes);
  std::uint32_t destination(int bytes) { return destination(operand(0), bytes); }
  // A predicate that is read, with whether it is negated in `negated`; that is written.
  std::uint32_t predicate(const ptx::Operand& operand, bool& negated);
  std::uint32_t predicate_destination(const std::string& name);
  int register_bytes(const ptx::Operand& operand) const; // 0: not a register of the file
  std::uint32_t constant(int bytes, std::uint64_t bits);
  std::uint32_t scratch(int bytes); // lanes that nobody else uses
  std::uint32_t label(const std::string& name);

  // A name in memory: its address in its window, or in shared memory its offset.
  struct Symbol {
    ptx::Space space = ptx::Space::global;
    std::uint64_t offset = 0, bytes = 0;
  };
  const Symbol* symbol(const std::string& name) const;

  // Of a call: an argument or a result, in local memory or in a register.
  struct Slot {
    bool in_register = false;
    std::uint64_t at = 0;
    std::uint32_t bytes = 0;
  };
  struct Callee {
    std::size_t number = 0; // in Code::functions
    std::vector<Slot> arguments, results;
  };
  const Callee* callee(const std::string& name) const;
  bool is_in_function() const { return m_scope != nullptr; } // rather than in what is launched

  Op& emit(Handler handler);
  void emit(Op op); // its handler is op.run; it gets the statement's place
  // What does not fit an operation: its number in Code::extras.
  std::int64_t keep(std::shared_ptr<const void> extra);
  // What is not known is found when it is executed.
  void unsupported(const std::string& why);

private:
  void declare(const ptx::Variable& variable);
  void note_order(const ptx::Statement& statement);
  void decode_statement(const ptx::Statement& statement);
  std::uint32_t room(std::size_t bytes, std::size_t alignment);
  std::uint32_t special(const std::string& name); // where the register of this name lies

  // A function that is called: its names, while it is decoded.
  struct Scope {
    const ptx::Function* function = nullptr;
    std::map<std::string, Register> registers;
    std::map<std::string, Symbol> symbols;
    Callee callee;
  };
  // Functions that the launched one calls, and those that these call.
  std::vector<const ptx::Function*> called_functions() const;
  void declare_functions();
  void decode_functions();
  void declare_parameters(const std::vector<ptx::Variable>& variables, std::vector<Slot>& slots);
  void decode_body(const ptx::Function& function);

  const ptx::Module& m_module;
  const ptx::Function& m_function;
  const std::map<std::string, std::uint64_t>& m_globals;
  const ptx::Statement* m_statement = nullptr;
  Code m_code;
  std::map<std::string, Register> m_registers;
  std::map<std::string, Symbol> m_symbols;
  std::map<std::pair<int, std::uint64_t>, std::uint32_t> m_constants;
  std::map<std::string, std::uint32_t> m_labels; // name -> operation
  std::vector<std::pair<std::size_t, std::string>> m_jumps;
  std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> m_image;
  std::map<std::string, std::uint32_t> m_places; // by file, line and line of PTX
  std::vector<Scope> m_functions;
  const Scope* m_scope = nullptr;
  std::string m_missing_label;
  std::vector<RegisterUse> m_uses;
};

// Lets operations that touch registers of products look whether these are under way.
void watch_products(Code& code, const std::vector<RegisterUse>& uses);

using DecodeOne = void (*)(Decoder&);
struct Instruction {
  std::string_view name;
  DecodeOne decode;
};
// The list of instructions, by the first part of their opcode.
DecodeOne decoder_of(std::string_view name);

void decode_arithmetic(Decoder& decoder);
void decode_float_function(Decoder& decoder);
void decode_bits(Decoder& decoder);
void decode_compare(Decoder& decoder);
void decode_select(Decoder& decoder);
void decode_move(Decoder& decoder);
void decode_convert(Decoder& decoder);
void decode_convert_address(Decoder& decoder);
void decode_load(Decoder& decoder);
void decode_store(Decoder& decoder);
void decode_atomic(Decoder& decoder);
void decode_branch(Decoder& decoder);
void decode_leave(Decoder& decoder);
void decode_call(Decoder& decoder);
void decode_return(Decoder& decoder);
void decode_call_return(Decoder& decoder);
void decode_trap(Decoder& decoder);
void decode_nothing(Decoder& decoder);
void decode_sleep(Decoder& decoder);
void decode_register_count(Decoder& decoder);
void decode_barrier(Decoder& decoder);
void decode_cluster_barrier(Decoder& decoder);
void decode_map_address(Decoder& decoder);
void decode_rank_of_address(Decoder& decoder);
void decode_question_of_space(Decoder& decoder);
void decode_shuffle(Decoder& decoder);
void decode_vote(Decoder& decoder);
void decode_match(Decoder& decoder);
void decode_active_mask(Decoder& decoder);
void decode_reduce(Decoder& decoder);
void decode_matrix_product(Decoder& decoder);
void decode_matrix_load(Decoder& decoder);
void decode_matrix_store(Decoder& decoder);
void decode_async_copy(Decoder& decoder);
bool decode_bulk(Decoder& decoder); // false: not known
void decode_mbarrier(Decoder& decoder);
void decode_fence(Decoder& decoder);
bool decode_map_fence(Decoder& decoder); // of tensor maps; false: not known
void decode_tensor_map(Decoder& decoder);
void decode_elect(Decoder& decoder);
void decode_warpgroup(Decoder& decoder);
void decode_wave64(Decoder& decoder);
void decode_wmma(Decoder& decoder);

} // namespace hone::emulate::execute
