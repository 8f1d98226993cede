#include "store/repository.h"

#include "store/git_library.h"
#include "store/repository_check.h"
#include "store/storage_error.h"

#include <fmt/format.h>
#include <git2/sys/repository.h>

#include <algorithm>

namespace hone::store {

struct Repository::Opened {
  git_repository* repository = nullptr;
  ~Opened() { git_repository_free(repository); }
};

namespace {

// Made beside its place and renamed into it: there is never half a repository.
Result<void> create_repository(const fs::path& path)
{
  fs::path draft = path;
  draft += ".new";
  std::error_code error;
  fs::remove_all(draft, error);
  git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
  options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKPATH;
  options.initial_head = "main";
  git_repository* made = nullptr;
  const int outcome = git_repository_init_ext(&made, draft.c_str(), &options);
  git_repository_free(made);
  if (outcome != 0) {
    return storage_failure("create", path, last_git_message());
  }
  fs::rename(draft, path, error);
  if (error) {
    return storage_failure("create", path, error.message());
  }
  return {};
}

Result<void> insert_blob(git_repository* repository, git_treebuilder* builder, const std::string& name,
                         const std::string& bytes)
{
  git_oid blob;
  if (git_blob_create_from_buffer(&blob, repository, bytes.data(), bytes.size()) != 0
      || git_treebuilder_insert(nullptr, builder, name.c_str(), &blob, GIT_FILEMODE_BLOB) != 0) {
    return fail(last_git_message());
  }
  return {};
}

Result<git_oid> write_tree(git_repository* repository, const FileMap& files)
{
  BuilderHandle root;
  if (git_treebuilder_new(root.out(), repository, nullptr) != 0) {
    return fail(last_git_message());
  }
  std::map<std::string, FileMap> folders;
  for (const auto& [path, bytes] : files) {
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos) {
      HONE_CHECK(insert_blob(repository, root, path, bytes));
    } else {
      folders[path.substr(0, slash)][path.substr(slash + 1)] = bytes;
    }
  }
  for (const auto& [folder, inside] : folders) {
    HONE_TRY(const git_oid tree, write_tree(repository, inside));
    if (git_treebuilder_insert(nullptr, root, folder.c_str(), &tree, GIT_FILEMODE_TREE) != 0) {
      return fail(last_git_message());
    }
  }
  git_oid id;
  if (git_treebuilder_write(&id, root) != 0) {
    return fail(last_git_message());
  }
  return id;
}

Result<void> read_tree(git_repository* repository, const git_tree* tree, const std::string& prefix, FileMap& files)
{
  for (std::size_t i = 0; i < git_tree_entrycount(tree); ++i) {
    const git_tree_entry* entry = git_tree_entry_byindex(tree, i);
    const std::string path = prefix + git_tree_entry_name(entry);
    if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) {
      TreeHandle inside;
      if (git_tree_lookup(inside.out(), repository, git_tree_entry_id(entry)) != 0) {
        return fail(last_git_message());
      }
      HONE_CHECK(read_tree(repository, inside, path + "/", files));
      continue;
    }
    BlobHandle blob;
    if (git_blob_lookup(blob.out(), repository, git_tree_entry_id(entry)) != 0) {
      return fail(last_git_message());
    }
    files[path].assign(static_cast<const char*>(git_blob_rawcontent(blob)),
                       static_cast<std::size_t>(git_blob_rawsize(blob)));
  }
  return {};
}

Result<void> set_reference(git_repository* repository, const std::string& name, const git_oid& id)
{
  ReferenceHandle reference;
  if (git_reference_create(reference.out(), repository, name.c_str(), &id, 1, "hone") == 0) {
    return {};
  }
  // A file there that names no object is in the way.
  std::error_code ignored;
  const fs::path file = fs::path(git_repository_path(repository)) / name;
  const auto damaged = damaged_references(git_repository_path(repository));
  const bool in_the_way = damaged && std::ranges::any_of(*damaged, [&](const DamagedFile& found) {
                            return fs::equivalent(found.file, file, ignored);
                          });
  if (in_the_way && fs::remove(file, ignored)
      && git_reference_create(reference.out(), repository, name.c_str(), &id, 1, "hone") == 0) {
    return {};
  }
  return fail(last_git_message());
}

// The tree of `folder` in a commit; null when the commit has no such folder.
Result<void> lookup_folder(git_repository* repository, const std::string& id, const std::string& folder,
                           TreeHandle& tree)
{
  HONE_TRY(const git_oid oid, parse_git_id(id));
  CommitHandle commit;
  TreeHandle root;
  if (git_commit_lookup(commit.out(), repository, &oid) != 0 || git_commit_tree(root.out(), commit) != 0) {
    return fail(last_git_message());
  }
  const git_tree_entry* entry = git_tree_entry_byname(root, folder.c_str());
  if (entry != nullptr && git_tree_lookup(tree.out(), repository, git_tree_entry_id(entry)) != 0) {
    return fail(last_git_message());
  }
  return {};
}

Result<git_oid> write_commit(git_repository* repository, const FileMap& files, const std::string& message,
                             const std::string& parent, std::int64_t time)
{
  HONE_TRY(const git_oid tree_id, write_tree(repository, files));
  TreeHandle tree;
  SignatureHandle author;
  CommitHandle before;
  if (git_tree_lookup(tree.out(), repository, &tree_id) != 0
      || git_signature_new(author.out(), "Hone", "hone@localhost", time, 0) != 0) {
    return fail(last_git_message());
  }
  if (!parent.empty()) {
    HONE_TRY(const git_oid parent_id, parse_git_id(parent));
    if (git_commit_lookup(before.out(), repository, &parent_id) != 0) {
      return fail(last_git_message());
    }
  }
  const git_commit* parents[] = {before};
  git_oid id;
  if (git_commit_create(&id, repository, nullptr, author, author, "UTF-8", message.c_str(), tree,
                        parent.empty() ? 0 : 1, parents)
      != 0) {
    return fail(last_git_message());
  }
  return id;
}

} // namespace

Result<Repository> Repository::open(const fs::path& path)
{
  start_libgit2();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    HONE_CHECK(create_repository(path));
  }
  for (const fs::path& dead : repository_leftovers(path)) {
    fs::remove(dead, ignored);
  }
  return open_existing(path);
}

Result<Repository> Repository::open_existing(const fs::path& path)
{
  start_libgit2();
  auto opened = std::make_shared<Opened>();
  if (git_repository_open_bare(&opened->repository, path.c_str()) != 0) {
    return storage_failure("open", path, last_git_message());
  }
  return Repository(path, std::move(opened));
}

Result<std::string> Repository::commit(const FileMap& files, const std::string& message, const std::string& parent,
                                       std::int64_t time)
{
  git_repository* repository = m_opened->repository;
  // Writes it and reads it back.
  const auto write = [&]() -> Result<git_oid> {
    HONE_TRY(const git_oid written, write_commit(repository, files, message, parent, time));
    HONE_TRY([[maybe_unused]] const Commit whole, read(git_id_text(written)));
    return written;
  };
  auto id = write();
  if (!id) {
    // An object that is there already is not written again, be it damaged: it makes room for what we have in hand.
    HONE_TRY(const std::size_t aside, set_damaged_objects_aside(m_path));
    if (aside > 0) {
      id = write();
    }
  }
  if (!id) {
    return storage_failure("write a checkpoint to", m_path, id.error().message);
  }
  const std::string text = git_id_text(*id);
  // The checkpoint exists from the moment its own ref does; the branch is for people who look with git.
  for (const std::string& name : {std::string(k_checkpoint_refs) + text, std::string("refs/heads/main")}) {
    if (const auto set = set_reference(repository, name, *id); !set) {
      return storage_failure("write a checkpoint to", m_path, set.error().message);
    }
  }
  return text;
}

Result<Commit> Repository::read(const std::string& id) const
{
  HONE_TRY(const git_oid oid, parse_git_id(id));
  CommitHandle commit;
  TreeHandle tree;
  if (git_commit_lookup(commit.out(), m_opened->repository, &oid) != 0 || git_commit_tree(tree.out(), commit) != 0) {
    return fail(last_git_message());
  }
  Commit result;
  result.id = id;
  result.message = git_commit_message(commit);
  result.time = git_commit_time(commit);
  if (git_commit_parentcount(commit) > 0) {
    result.parent = git_id_text(*git_commit_parent_id(commit, 0));
  }
  HONE_CHECK(read_tree(m_opened->repository, tree, "", result.files));
  return result;
}

Result<std::vector<std::string>> Repository::checkpoint_ids() const
{
  IteratorHandle iterator;
  const std::string pattern = std::string(k_checkpoint_refs) + "*";
  if (git_reference_iterator_glob_new(iterator.out(), m_opened->repository, pattern.c_str()) != 0) {
    return storage_failure("read", m_path, last_git_message());
  }
  std::vector<std::string> ids;
  const char* name = nullptr;
  while (git_reference_next_name(&name, iterator) == 0) {
    ids.emplace_back(std::string_view(name).substr(k_checkpoint_refs.size()));
  }
  return ids;
}

Result<void> Repository::write_checkpoint_ref(const std::string& id)
{
  HONE_TRY(const git_oid oid, parse_git_id(id));
  if (const auto set = set_reference(m_opened->repository, std::string(k_checkpoint_refs) + id, oid); !set) {
    return storage_failure("write to", m_path, set.error().message);
  }
  return {};
}

Result<void> Repository::mark_damaged(const std::string& id)
{
  HONE_TRY(const git_oid oid, parse_git_id(id));
  CommitHandle commit;
  if (git_commit_lookup(commit.out(), m_opened->repository, &oid) == 0) {
    if (const auto set = set_reference(m_opened->repository, "refs/damaged/" + id, oid); !set) {
      return storage_failure("write to", m_path, set.error().message);
    }
  }
  const int outcome = git_reference_remove(m_opened->repository, (std::string(k_checkpoint_refs) + id).c_str());
  if (outcome != 0 && outcome != GIT_ENOTFOUND) {
    return storage_failure("write to", m_path, last_git_message());
  }
  return {};
}

Result<void> Repository::set_branch(const std::string& branch, const std::string& id)
{
  HONE_TRY(const git_oid oid, parse_git_id(id));
  if (const auto set = set_reference(m_opened->repository, "refs/heads/" + branch, oid); !set) {
    return storage_failure("write to", m_path, set.error().message);
  }
  return {};
}

Result<void> Repository::delete_branch(const std::string& branch)
{
  const int outcome = git_reference_remove(m_opened->repository, ("refs/heads/" + branch).c_str());
  if (outcome != 0 && outcome != GIT_ENOTFOUND) {
    return storage_failure("write to", m_path, last_git_message());
  }
  return {};
}

Result<std::string> Repository::diff(const std::string& from, const std::string& to, const std::string& folder) const
{
  TreeHandle before;
  TreeHandle after;
  HONE_CHECK(lookup_folder(m_opened->repository, from, folder, before));
  HONE_CHECK(lookup_folder(m_opened->repository, to, folder, after));
  DiffHandle difference;
  git_buf text = GIT_BUF_INIT;
  if (git_diff_tree_to_tree(difference.out(), m_opened->repository, before, after, nullptr) != 0
      || git_diff_to_buf(&text, difference, GIT_DIFF_FORMAT_PATCH) != 0) {
    return fail(last_git_message());
  }
  std::string result(text.ptr, text.size);
  git_buf_dispose(&text);
  return result;
}

} // namespace hone::store
