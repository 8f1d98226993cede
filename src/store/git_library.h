// libgit2 for the files that use it: its start, its errors, its handles. (internal to the workflow room)
#pragma once

#include "util/result.h"

#include <git2.h>

#include <string>
#include <string_view>

namespace hone::store {

constexpr std::string_view k_checkpoint_refs = "refs/checkpoints/"; // one per checkpoint, named by its id

// Owns one libgit2 object.
template <class T, void (*release)(T*)> struct Owned {
  T* object = nullptr;
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { release(object); }
  T** out() { return &object; }
  operator T*() const { return object; }
};

using CommitHandle = Owned<git_commit, git_commit_free>;
using TreeHandle = Owned<git_tree, git_tree_free>;
using BlobHandle = Owned<git_blob, git_blob_free>;
using BuilderHandle = Owned<git_treebuilder, git_treebuilder_free>;
using SignatureHandle = Owned<git_signature, git_signature_free>;
using ReferenceHandle = Owned<git_reference, git_reference_free>;
using IteratorHandle = Owned<git_reference_iterator, git_reference_iterator_free>;
using DiffHandle = Owned<git_diff, git_diff_free>;

void start_libgit2();
// Why libgit2's last call failed.
std::string last_git_message();

Result<git_oid> parse_git_id(const std::string& id);
std::string git_id_text(const git_oid& oid);

} // namespace hone::store
